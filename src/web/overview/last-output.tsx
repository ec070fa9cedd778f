/** The last lines of a running session's terminal, while its card is visible. */
import { computed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { recentlyActive } from "../state/projection.ts";
import { lastLines, LINES_READ } from "./last-lines.ts";
import { pauseAfter } from "./look-pause.ts";

/** A machine that does not answer must not keep the browser's few connections to the daemon busy. */
const ANSWER_WITHIN_MS = 5000;

/** The last look at each machine's sessions: the cards of a machine ask one after the other. */
const lastLooks = new Map<string, Promise<unknown>>();

function inTurn<Result>(machine: string, look: () => Promise<Result>): Promise<Result> {
  const turn = (lastLooks.get(machine) ?? Promise.resolve()).then(look, look);
  lastLooks.set(machine, turn);
  return turn;
}

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
    let pause = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const next = await inTurn(session.peer ?? "", async () => {
        const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
        const response = await fetch(`/v1/sessions/${id}/text?lines=${LINES_READ}`, { signal });
        return response.ok ? lastLines(await response.text()).join("\n") : text.value;
      });
      const isChanged = next !== text.value;
      text.value = next;
      pause = pauseAfter(pause, isChanged, isActive);
    };
    const lookAgain = async (): Promise<void> => {
      if (document.hidden) return;
      // The card itself says when the session or the daemon is gone.
      await look().catch(() => (pause = pauseAfter(pause, false, isActive)));
      clearTimeout(timer);
      if (!leaving.signal.aborted) timer = setTimeout(() => void lookAgain(), pause);
    };
    void lookAgain();
    document.addEventListener("visibilitychange", () => void lookAgain(), { signal: leaving.signal });
    return () => {
      clearTimeout(timer);
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
