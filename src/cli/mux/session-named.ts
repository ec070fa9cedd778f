/** One session by its reference: amux's own, alive or dead, else one that only its status file tells of. */
import type { KnownSession } from "../../client/session-list.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { viewOfRunner } from "../../status/runner-view.ts";
import type { SessionView } from "../../status/session-view.ts";
import { chooseSession as chooseView } from "../choose-session.ts";
import { liveSessions } from "../live-sessions.ts";
import { chooseSession } from "./choose.ts";

export async function sessionNamed(ref: string): Promise<SessionView> {
  const own = ownSession(ref);
  if (own?.alive === false) return viewOfRunner({ ...own.meta, alive: false }, Date.now());
  return chooseView(await liveSessions(), own?.meta.id ?? ref);
}

/** Undefined when none of amux's own is meant. */
export function ownSession(ref: string): KnownSession | undefined {
  try {
    return chooseSession(ref);
  } catch (error) {
    if (error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND") return undefined;
    throw error;
  }
}
