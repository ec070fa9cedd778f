/** The dot of a session, wherever it is shown. */
import type { JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { attention, stirred } from "../state/projection.ts";
import { resumingId, selectedId } from "../state/selection.ts";
import { DOT_WORDS, dotOf, type Dot } from "./dot.ts";

export function currentDot(session: MuxSession): Dot {
  const { id } = session;
  return dotOf(session, {
    isSelected: selectedId.value === id,
    isResuming: resumingId.value === id,
    asks: attention.value.find((item) => item.session_id === id)?.reason,
    stirredAt: stirred.value.get(id),
  });
}

export function SessionDot({ session }: { session: MuxSession }): JSX.Element {
  const dot = currentDot(session);
  return <span class={`dot ${dot}`} title={DOT_WORDS[dot]} />;
}
