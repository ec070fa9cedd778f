/**
 * Following one runner: its state at the beginning, then its events. The stream is opened first and the state asked for
 * second; what came in between is applied after it, so nothing is missed and the last word is the latest.
 */
import { askRunner } from "../../client/runner-http.ts";
import { openSse, type SseEvent } from "../../client/sse.ts";
import { asObject } from "../../lib/json/fields.ts";
import { SessionMeta, type RunnerEvent } from "../../protocol/runner-api.ts";
import { INCARNATION_HEADER } from "../../protocol/runner-headers.ts";

/** Runners say that they are still there every 20 seconds. */
const SILENCE_MS = 65_000;

/** A hundred times what a session with many reports says of itself. */
const MAX_META_BYTES = 4 * 1024 * 1024;

/** Events that say enough by their name. */
const MAY_BE_NOTHING = new Set(["status", "activity"]);

export interface SubscriptionListener {
  onMeta(meta: SessionMeta): void;
  onEvent(event: RunnerEvent): void;
  /** It talks no more; why is for others to find out. Not called for what was closed from here. */
  onEnd(): void;
}

export interface Subscription {
  close(): void;
}

/** Resolves when the runner's state has been told. Rejects when there is no runner, or not the right one. */
export function subscribe(id: string, socketPath: string, listener: SubscriptionListener): Promise<Subscription> {
  return new Promise((resolve, reject) => {
    let early: SseEvent[] | undefined = [];
    let closed = false;
    let isOver = false;
    const close = openSse(
      { socketPath, path: "/events", silenceMs: SILENCE_MS },
      {
        onOpen: (headers) => {
          metaOf(id, socketPath, headers[INCARNATION_HEADER]).then(begin).catch(fail);
        },
        onEvent: (event) => {
          if (early === undefined) tell(listener, event);
          else early.push(event);
        },
        onEnd: (error) => {
          isOver = true;
          if (early !== undefined) reject(error ?? new Error("The session's process hung up."));
          else if (!closed) listener.onEnd();
        },
      },
    );
    const begin = (meta: SessionMeta): void => {
      // What it was before it went would be taken for what it is.
      if (isOver) return;
      const waiting = early ?? [];
      early = undefined;
      listener.onMeta(meta);
      for (const event of waiting) tell(listener, event);
      resolve({
        close: () => {
          closed = true;
          close();
        },
      });
    };
    const fail = (error: Error): void => {
      reject(error);
      close();
    };
  });
}

async function metaOf(
  id: string,
  socketPath: string,
  incarnation: string | string[] | undefined,
): Promise<SessionMeta> {
  const headers = typeof incarnation === "string" ? { [INCARNATION_HEADER]: incarnation } : {};
  const answer = await askRunner(socketPath, { method: "GET", path: "/meta", headers, maxBytes: MAX_META_BYTES });
  if (answer.status !== 200) throw new Error(`The session's process refused with ${answer.status}.`);
  const told = asObject(JSON.parse(answer.body.toString("utf8"))) ?? {};
  const meta = SessionMeta.parse(withDefaults(told));
  if (meta.id !== id) throw new Error(`The process at ${socketPath} holds another session, ${meta.id}.`);
  // A size nobody told is not shown.
  return told["terminal_cols"] === undefined ? ({ ...meta, ...NO_SIZE } as unknown as SessionMeta) : meta;
}

const NO_SIZE = { terminal_cols: undefined, terminal_rows: undefined };

/** A runner that says no more than was published for the first ones is a runner, too. */
function withDefaults(told: Readonly<Record<string, unknown>>): object {
  return {
    exit_code: null,
    unread_token: 0,
    terminal_cols: 80,
    terminal_rows: 24,
    runner_version: "",
    runner_pid: told["pid"],
    incarnation: "untold",
    reports: [],
    ptys: [],
    ...told,
  };
}

function tell(listener: SubscriptionListener, { event, data }: SseEvent): void {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    // What is not even JSON tells nothing. The runner may say something better next.
    return;
  }
  if (asObject(value) === undefined && !MAY_BE_NOTHING.has(event)) return;
  // Names this version does not know are for a later one.
  listener.onEvent({ name: event, data: value } as RunnerEvent);
}
