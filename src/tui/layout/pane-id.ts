/** A terminal's id inside a layout: its session and its number there. */
import type { PaneRef } from "../panes/pane.ts";
import { PeerName } from "../../protocol/peers.ts";
import { isSessionId, splitRemoteId } from "../../protocol/session-id.ts";

/** A session's first terminal; it determines the session's title and end. */
export const MAIN_PTY = "pty-1";

export function paneId({ sessionId, ptyId }: PaneRef): string {
  return `${sessionId}/${ptyId}`;
}

/** Undefined if it is not a valid id, because layout files can be edited. */
export function refOf(id: string): PaneRef | undefined {
  const at = id.indexOf("/");
  const [sessionId, ptyId] = [id.slice(0, at), id.slice(at + 1)];
  return isSession(sessionId) && /^[A-Za-z0-9._-]{1,64}$/.test(ptyId) ? { sessionId, ptyId } : undefined;
}

/** A local session, or `sess-abcd1234@peer`. */
function isSession(id: string): boolean {
  const remote = splitRemoteId(id);
  return remote === undefined ? isSessionId(id) : isSessionId(remote.id) && PeerName.safeParse(remote.peer).success;
}
