/** Which other machine a session is on, and whether that machine can be reached. */
import type { JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";

export function MachineBadge({ session: { id, unreachable } }: { session: MuxSession }): JSX.Element | null {
  const machine = splitRemoteId(id)?.peer;
  if (machine === undefined) return null;
  const words =
    unreachable === true ? `${machine} cannot be reached; this is the last that was heard` : `On ${machine}`;
  return (
    <span class={`badge machine ${unreachable === true ? "lost" : ""}`} title={words}>
      {machine}
    </span>
  );
}
