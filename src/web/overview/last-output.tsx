/** The last lines of a running session's terminal, while its card is visible. */
import { computed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { recentlyActive } from "../state/projection.ts";
import { lastLines, LINES_READ } from "./last-lines.ts";

/** While it prints. */
const LOOK_EVERY_MS = 3000;
/** Otherwise: runners report activity at most every few seconds, and not the last output of all. */
const LOOK_SELDOM_MS = 8000;

export function LastOutput({ session }: { session: MuxSession }): JSX.Element {
  const { id, status } = session;
  const box = useRef<HTMLSpanElement>(null);
  const isVisible = useSignal(false);
  const text = useSignal("");
  const isActive = useMemo(() => computed(() => recentlyActive.value.has(id)), [id]).value;
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => (isVisible.value = entries.at(-1)!.isIntersecting));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isVisible.value) return;
    const leaving = new AbortController();
    const look = async (): Promise<void> => {
      const response = await fetch(`/v1/sessions/${id}/text?lines=${LINES_READ}`, { signal: leaving.signal });
      if (response.ok) text.value = lastLines(await response.text()).join("\n");
    };
    // The card itself says when the session or the daemon is gone.
    const lookAgain = (): void => void look().catch(() => undefined);
    lookAgain();
    const timer = setInterval(() => document.hidden || lookAgain(), isActive ? LOOK_EVERY_MS : LOOK_SELDOM_MS);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [id, isVisible.value, isActive, status?.label]);
  return (
    // The name of the card stays short for screen readers; the session has the text.
    <span class="tile-output" ref={box} aria-hidden="true">
      {text.value}
    </span>
  );
}
