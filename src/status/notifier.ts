/**
 * Notifies the user through configured programs. A program gets the notification as JSON on standard input and in variables;
 * `{title}`, `{body}` and `{id}` in its arguments are replaced. It has a time limit.
 */
import { spawn } from "node:child_process";
import { externalEnv } from "../lib/process/external-env.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { AttentionItem } from "./attention.ts";
import type { NoticeConfig } from "./notice-config.ts";
import { Notices, type Notice, type NoticeAction, type NoticeMemory } from "./notices.ts";

/** Showing a notification takes milliseconds; sending it over a network may take longer. */
const LIMIT_MS = 15_000;

export interface NotifierParts {
  config: NoticeConfig;
  onProblem: (message: string) => void;
  /** Notifies in other ways than by programs. */
  onAction?: (action: NoticeAction) => void;
  /** Keeps what a later process needs. */
  memory?: { read: () => NoticeMemory; write: (memory: NoticeMemory) => void };
}

/** Who looks at an entry without being told. */
export interface Looks {
  onDue: () => void;
  lookedUntil: (item: AttentionItem) => number;
}

export class Notifier {
  readonly #parts: NotifierParts;
  readonly #notices: Notices;
  readonly #running = new Set<Promise<void>>();
  #onDue: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
    this.#notices = new Notices(parts.config, parts.memory?.read());
  }

  /** Call this with the list at the start and after every change, and when `onDue` says that something may be sent now. */
  update(queue: readonly AttentionItem[], looks?: Looks): void {
    this.#onDue = looks?.onDue ?? (() => this.update(queue));
    this.#take(this.#notices.update(queue, Date.now(), looks?.lookedUntil));
  }

  /** Somebody looks at the list. */
  seen(): void {
    this.#take(this.#notices.seen(Date.now()));
  }

  /** Resolves when every started program has ended. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    // Looks without a notification to withdraw are not written one by one.
    this.#parts.memory?.write(this.#notices.memory);
    await Promise.all(this.#running);
  }

  #take(actions: readonly NoticeAction[]): void {
    for (const action of actions) this.#act(action);
    if (actions.length > 0) this.#parts.memory?.write(this.#notices.memory);
    clearTimeout(this.#timer);
    const { nextAt } = this.#notices;
    if (nextAt === undefined) return;
    this.#timer = setTimeout(() => this.#onDue(), Math.max(1, nextAt - Date.now())).unref();
  }

  #act(action: NoticeAction): void {
    const { kind, notice } = action;
    this.#parts.onAction?.(action);
    const { notify, withdraw, sound, webhook } = this.#parts.config;
    for (const command of kind === "send" ? [notify, sound] : [withdraw]) {
      if (command !== undefined) this.#start(() => this.#run(command, kind, notice));
    }
    if (typeof webhook === "string") this.#start(() => this.#post(webhook, kind, notice));
    else if (webhook !== undefined) this.#start(() => this.#run(webhook, kind, notice));
  }

  #start(work: () => Promise<void>): void {
    const running: Promise<void> = work()
      .catch((error: unknown) => this.#parts.onProblem(errorText(error)))
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
