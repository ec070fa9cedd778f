/** Waiting for a session to come to rest, or to end. */
import { optional } from "../../lib/optional.ts";
import type { Waited } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { Problem } from "../problem.ts";
import { SHELL_KIND } from "../store/derive.ts";
import type { SessionStore } from "../store/store.ts";

/** Should a change ever be missed, it is noticed after this long. */
const LOOK_EVERY_MS = 1000;

export interface WaitOptions {
  for: "idle" | "exit";
  timeoutMs: number;
  signal: AbortSignal;
}

export function waitFor(store: SessionStore, id: string, options: WaitOptions): Promise<Waited> {
  const session = store.get(id);
  if (session === undefined) throw new Problem("not_found", `There is no session ${id}.`);
  if (options.for === "idle" && session.alive && session.kind === SHELL_KIND && session.status === null) {
    throw new Problem("no_idle_signal", "Nothing tells when this program is idle; wait for its exit, or set a status.");
  }
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearInterval(timer);
      clearTimeout(deadline);
      stop();
      options.signal.removeEventListener("abort", giveUp);
    };
    const look = (): void => {
      const outcome = outcomeOf(store.get(id), options.for);
      if (outcome === undefined) return;
      finish();
      resolve(outcome);
    };
    const giveUp = (): void => {
      finish();
      reject(new Problem("timeout", "Nobody waits any more."));
    };
    const tooLate = (): void => {
      finish();
      reject(new Problem("timeout", `The session is not ${options.for === "idle" ? "idle" : "over"} yet.`));
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

/** A session that was dismissed has died, too. */
function outcomeOf(session: MuxSession | undefined, wanted: WaitOptions["for"]): Waited | undefined {
  if (session?.alive !== true) {
    return { reason: "died", ...optional("exit_code", session?.exit_code) };
  }
  return wanted === "idle" && session.status?.working !== true ? { reason: "idle" } : undefined;
}
