/** Finds a live session by id, slug or name, or a unique prefix; `@peer` for another machine. */
import { AgentMuxError } from "../core/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { SessionView } from "../status/session-view.ts";
import type { ArgumentSpec } from "./command.ts";

export const LIVE_SESSION_ARGUMENT: ArgumentSpec = {
  name: "session",
  description: "id, slug or name of the session, or a unique prefix; id@peer on another machine",
  completes: "sessions",
};

export function chooseSession(sessions: readonly SessionView[], ref: string): SessionView {
  if (ref.trim() === "") throw new AgentMuxError("VALIDATION_ERROR", "The session name is empty. See amux status.");
  const exact = sessions.filter((session) => isCalled(session, ref, (name, wanted) => name === wanted));
  const begun = (session: SessionView): boolean => isCalled(session, ref, (name, wanted) => name.startsWith(wanted));
  // An exact local name wins over a remote one.
  const here = exact.filter(({ peer }) => peer === undefined);
  const found = here.length > 0 ? here : exact.length > 0 ? exact : sessions.filter(begun);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    const close = nearest(
      ref,
      sessions.flatMap(({ ref: id, name, slug = id }) => [id, name, slug]),
    );
    const hint = close === undefined ? "" : ` (did you mean ${close}?)`;
    throw new AgentMuxError("SESSION_NOT_FOUND", `No session is called "${ref}"${hint}. See amux status.`);
  }
  const names = found.slice(0, 5).map((session) => session.ref);
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `"${ref}" is ambiguous: ${names.join(", ")}${found.length > names.length ? ", …" : ""}.`,
  );
}

/** A remote session matches only if its machine is named. */
function isCalled(
  { ref: id, name, slug, peer }: SessionView,
  ref: string,
  test: (name: string, wanted: string) => boolean,
): boolean {
  if (peer === undefined) return [id, name, slug ?? id].some((each) => test(each, ref));
  const machine = `@${peer}`;
  if (!ref.endsWith(machine)) return false;
  const wanted = ref.slice(0, -machine.length);
  const native = id.slice(0, -machine.length);
  return [native, native.replace(/^sess-/, ""), name, slug ?? native].some((each) => test(each, wanted));
}
