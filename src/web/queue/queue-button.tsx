/** Opens a session's queue of prompts, with the number that wait. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { Icon } from "../ui/icon.tsx";
import { plural } from "../ui/figures.ts";
import { QueueDialog } from "./queue-dialog.tsx";

export function QueueButton({ session }: { session: MuxSession }): JSX.Element {
  const isOpen = useSignal(false);
  const { queued = 0, queue_held: held = 0 } = session;
  const name = `Queue${queued + held === 0 ? "" : `, ${plural(queued, "prompt")}${held === 0 ? "" : `, ${held} held`}`}`;
  return (
    <>
      <button type="button" aria-label={name} title={name} onClick={() => (isOpen.value = true)}>
        <Icon name="later" size={14} /> <span class="wide-only">Queue</span>
        <QueueCount session={session} />
      </button>
      {isOpen.value ? <QueueDialog session={session} onClose={() => (isOpen.value = false)} /> : null}
    </>
  );
}

/** Nothing for an empty queue. */
export function QueueCount({
  session: { queued = 0, queue_held: held = 0 },
}: {
  session: MuxSession;
}): JSX.Element | null {
  if (queued + held === 0) return null;
  const words = held === 0 ? `${plural(queued, "prompt")} in its queue` : `${plural(held, "prompt")} held in its queue`;
  return (
    <span class={`badge ${held === 0 ? "" : "stale"}`} title={words}>
      {queued + held}
    </span>
  );
}
