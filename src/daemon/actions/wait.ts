/** Waits for a session to be idle or to end. */
import { isAtRest } from "../../client/at-rest.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Waited } from "../../protocol/daemon-api.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import { Problem } from "../problem.ts";
import { SHELL_KIND } from "../store/derived-fields.ts";
import type { SessionStore } from "../store/store.ts";

/** A missed change is noticed after this long. */
const LOOK_EVERY_MS = 1000;

/** The runner's metadata, since the store knows less; undefined if there is no more. */
type MetaOf = (id: string) => Promise<SessionMeta | undefined>;

export interface WaitOptions {
  for: "idle" | "exit";
  timeoutMs: number;
  signal: AbortSignal;
}

export async function waitFor(store: SessionStore, metaOf: MetaOf, id: string, options: WaitOptions): Promise<Waited> {
  const session = store.get(id);
  if (session === undefined) throw new Problem("not_found", `There is no session ${id}.`);
  const isPlain = session.alive && session.kind === SHELL_KIND && session.status === null;
  // A session that has reported before is known to be idle although it has no status now.
  if (options.for === "idle" && isPlain && ((await metaOf(id))?.reports.length ?? 0) === 0) {
    throw new Problem(
      "no_idle_signal",
      "This program does not report when it is idle. Wait for its exit, or set a status.",
    );
  }
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearInterval(timer);
      clearTimeout(deadline);
      stop();
      options.signal.removeEventListener("abort", giveUp);
    };
    let isLooking = false;
    const look = (): void => {
      if (isLooking) return;
      isLooking = true;
      outcomeOf(store, metaOf, id, options.for)
        .then((outcome) => {
          if (outcome === undefined) return;
          finish();
          resolve(outcome);
        })
        .catch((error: unknown) => {
          finish();
          reject(error as Error);
        })
        .finally(() => (isLooking = false));
    };
    const giveUp = (): void => {
      finish();
      reject(new Problem("timeout", "The client has left."));
    };
    const tooLate = (): void => {
      finish();
      reject(new Problem("timeout", `The session ${options.for === "idle" ? "is not idle" : "has not ended"} yet.`));
    };
    const timer = setInterval(look, LOOK_EVERY_MS);
    const deadline = setTimeout(tooLate, options.timeoutMs);
    const stop = store.onChange((change) => {
      if (change.id === id) look();
    });
    options.signal.addEventListener("abort", giveUp);
    look();
  });
}

/** A dismissed session counts as ended. */
async function outcomeOf(
  store: SessionStore,
  metaOf: MetaOf,
  id: string,
  wanted: WaitOptions["for"],
): Promise<Waited | undefined> {
  const session = store.get(id);
  if (session?.alive !== true) return { reason: "died", ...optional("exit_code", session?.exit_code) };
  if (wanted !== "idle" || session.status?.working === true) return undefined;
  try {
    const meta = await metaOf(id);
    return meta === undefined || isAtRest(meta, Date.now()) ? { reason: "idle" } : undefined;
  } catch (error) {
    // Unknown while its process cannot be reached; the store learns soon if it has ended.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
