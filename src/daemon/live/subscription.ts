/**
 * Follows one runner: its state, then its events. The stream opens before the state is fetched, and events in between are applied
 * after it, so nothing is missed.
 */
import { askRunner } from "../../client/runner-http.ts";
import { openSse, type SseEvent } from "../../client/sse.ts";
import { asObject } from "../../lib/json/fields.ts";
import { SessionMeta, type RunnerEvent } from "../../protocol/runner-api.ts";
import { INCARNATION_HEADER } from "../../protocol/runner-headers.ts";

/** Runners send a heartbeat every 20 seconds. */
const SILENCE_MS = 65_000;

/** A hundred times a busy session's metadata. */
const MAX_META_BYTES = 4 * 1024 * 1024;

/** Events whose name says enough. */
const MAY_BE_NOTHING = new Set(["status", "activity"]);

export interface SubscriptionListener {
  onMeta(meta: SessionMeta): void;
  onEvent(event: RunnerEvent): void;
  /** The stream ended; others find out why. Not called after closing it here. */
  onEnd(): void;
}

export interface Subscription {
  close(): void;
}

/** Resolves when the runner's state was delivered. Rejects if there is no runner, or the wrong one. */
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
      // Its last state before the end would be taken for the current one.
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
  // An unknown size is not shown.
  return told["terminal_cols"] === undefined ? ({ ...meta, ...NO_SIZE } as unknown as SessionMeta) : meta;
}

const NO_SIZE = { terminal_cols: undefined, terminal_rows: undefined };

/** Accepts runners that report only the original fields. */
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
    // Not JSON; the next event may be.
    return;
  }
  if (asObject(value) === undefined && !MAY_BE_NOTHING.has(event)) return;
  // Unknown names are for a later version.
  listener.onEvent({ name: event, data: value } as RunnerEvent);
}
