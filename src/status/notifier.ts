/**
 * Notifies the user through configured programs. A program gets the notification as JSON on standard input and in variables;
 * `{title}`, `{body}` and `{id}` in its arguments are replaced. It has a time limit.
 */
import { spawn } from "node:child_process";
import { externalEnv } from "../lib/process/external-env.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { AttentionItem } from "./attention.ts";
import type { NoticeConfig } from "./notice-config.ts";
import { Notices, type Notice, type NoticeAction } from "./notices.ts";

/** Showing a notification takes milliseconds; sending it over a network may take longer. */
const LIMIT_MS = 15_000;

export class Notifier {
  readonly #config: NoticeConfig;
  readonly #notices: Notices;
  readonly #onProblem: (message: string) => void;
  readonly #onAction: (action: NoticeAction) => void;
  readonly #running = new Set<Promise<void>>();
  #queue: readonly AttentionItem[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `onAction` notifies in other ways than by programs. */
  constructor(
    config: NoticeConfig,
    onProblem: (message: string) => void,
    onAction: (action: NoticeAction) => void = () => undefined,
  ) {
    this.#config = config;
    this.#notices = new Notices(config);
    this.#onProblem = onProblem;
    this.#onAction = onAction;
  }

  /** Call this with the list at the start and after every change. */
  update(queue: readonly AttentionItem[]): void {
    this.#queue = queue;
    for (const action of this.#notices.update(queue, Date.now())) this.#act(action);
    clearTimeout(this.#timer);
    const { nextAt } = this.#notices;
    if (nextAt === undefined) return;
    this.#timer = setTimeout(() => this.update(this.#queue), Math.max(1, nextAt - Date.now())).unref();
  }

  /** Somebody looks at the list. */
  seen(): void {
    for (const action of this.#notices.seen()) this.#act(action);
  }

  /** Resolves when every started program has ended. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.all(this.#running);
  }

  #act(action: NoticeAction): void {
    const { kind, notice } = action;
    this.#onAction(action);
    const { notify, withdraw, sound, webhook } = this.#config;
    for (const command of kind === "send" ? [notify, sound] : [withdraw]) {
      if (command !== undefined) this.#start(() => this.#run(command, kind, notice));
    }
    if (typeof webhook === "string") this.#start(() => this.#post(webhook, kind, notice));
    else if (webhook !== undefined) this.#start(() => this.#run(webhook, kind, notice));
  }

  #start(work: () => Promise<void>): void {
    const running: Promise<void> = work()
      .catch((error: unknown) => this.#onProblem(errorText(error)))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #run([program = "", ...args]: readonly string[], kind: string, notice: Notice): Promise<void> {
    return new Promise((resolve, reject) => {
      const fill = (word: string): string =>
        word.replaceAll(/\{(title|body|id|event)\}/g, (_, name: string) =>
          name === "event" ? kind : notice[name as "title" | "body" | "id"],
        );
      const [first] = notice.items;
      const child = spawn(program, args.map(fill), {
        stdio: ["pipe", "ignore", "ignore"],
        timeout: LIMIT_MS,
        killSignal: "SIGKILL",
        env: {
          ...externalEnv(),
          AMUX_EVENT: kind,
          AMUX_NOTICE: notice.id,
          AMUX_TITLE: notice.title,
          AMUX_BODY: notice.body,
          AMUX_REASON: first?.reason ?? "",
          AMUX_SESSION: first?.ref ?? "",
        },
      });
      child.on("error", (error) => reject(new Error(`${program} could not be started: ${error.message}`)));
      child.on("close", (code) =>
        code === 0 ? resolve() : reject(new Error(`${program} ended with ${code ?? "a signal"}.`)),
      );
      // A program need not read it.
      child.stdin.on("error", () => undefined).end(JSON.stringify(payloadOf(kind, notice)));
    });
  }

  async #post(address: string, kind: string, notice: Notice): Promise<void> {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(payloadOf(kind, notice)),
      redirect: "error",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
  }
}

function payloadOf(event: string, { id, title, body, items }: Notice): object {
  return {
    event,
    id,
    title,
    body,
    items: items.map(({ ref, name, agent, member, reason, text, since, cwd }) => ({
      ref,
      name,
      agent,
      member,
      reason,
      text,
      since: new Date(since).toISOString(),
      cwd,
    })),
  };
}
