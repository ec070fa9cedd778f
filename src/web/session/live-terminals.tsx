/** All terminals of one session side by side; most have one. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { api } from "../state/api.ts";
import { TerminalPane } from "../terminal/terminal-pane.tsx";

export function LiveTerminals({ session }: { session: MuxSession }): JSX.Element {
  const ids = useSignal<readonly string[]>([]);
  // A terminal that comes or goes changes the session's row; the row says nothing of terminals.
  useEffect(() => {
    let left = false;
    api.details(session.id).then(
      ({ terminals = [] }) => {
        const next = terminals.filter((terminal) => terminal["exit_code"] == null).map(({ id }) => id);
        if (!left && next.join(" ") !== ids.value.join(" ")) ids.value = next;
      },
      () => undefined, // The main terminal is shown without knowing more.
    );
    return () => {
      left = true;
    };
  }, [session]);
  const shown = ids.value.length > 1 ? ids.value : [undefined];
  return (
    <div class={`terminals of-${Math.min(shown.length, 4)}`}>
      {shown.map((pty) => (
        <TerminalPane key={pty ?? "main"} id={session.id} pty={pty} />
      ))}
    </div>
  );
}
