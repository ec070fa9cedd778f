/** Shows the peer of a session, and whether it is reachable. */
import type { JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";

export function MachineBadge({ session: { id, unreachable } }: { session: MuxSession }): JSX.Element | null {
  const at = id.lastIndexOf("@");
  if (at < 0) return null;
  const machine = id.slice(at + 1);
  const words = unreachable === true ? `${machine} cannot be reached; this is its last known state` : `On ${machine}`;
  return (
    <span class={`badge machine ${unreachable === true ? "lost" : ""}`} title={words}>
      {machine}
    </span>
  );
}
