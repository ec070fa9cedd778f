/** Which live session is meant: its id or name, or any unambiguous beginning of these. */
import { AgentMuxError } from "../core/errors.ts";
import type { SessionView } from "../status/session-view.ts";
import type { ArgumentSpec } from "./command.ts";

export const LIVE_SESSION_ARGUMENT: ArgumentSpec = {
  name: "session",
  description: "its id or name, or an unambiguous beginning of it",
};

export function chooseSession(sessions: readonly SessionView[], ref: string): SessionView {
  const exact = sessions.filter((session) => session.ref === ref || session.name === ref);
  const found =
    exact.length > 0 ? exact : sessions.filter(({ ref: id, name }) => id.startsWith(ref) || name.startsWith(ref));
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new AgentMuxError("SESSION_NOT_FOUND", `No session is called "${ref}". See amux status.`);
  const names = found.slice(0, 5).map((session) => session.ref);
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `"${ref}" can be ${names.join(", ")}${found.length > names.length ? ", …" : ""}.`,
  );
}
