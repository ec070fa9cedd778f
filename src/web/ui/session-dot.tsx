/** A session's dot. */
import { computed } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { asked, recentlyActive } from "../state/projection.ts";
import { resumingId, selectedId } from "../state/selection.ts";
import { DOT_WORDS, dotOf, type Dot } from "./dot.ts";

function currentDot(session: MuxSession): Dot {
  const { id } = session;
  return dotOf(session, {
    isSelected: selectedId.value === id,
    isResuming: resumingId.value === id,
    asks: asked.value.get(id),
    isActive: recentlyActive.value.has(id),
  });
}

/** Subscribes to this one session only. */
function useDot(session: MuxSession): Dot {
  return useMemo(() => computed(() => currentDot(session)), [session]).value;
}

export function SessionDot({ session }: { session: MuxSession }): JSX.Element {
  const dot = useDot(session);
  return <span class={`dot ${dot}`} role="img" title={DOT_WORDS[dot]} aria-label={DOT_WORDS[dot]} />;
}
