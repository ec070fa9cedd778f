/** When the overview was last visible. */
import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lastLook, shownSince } from "../state/preferences.ts";

/** A shorter absence does not count as leaving. */
const AWAY_MS = 60_000;

/** Calls `onReturn` with the time of the last visit after a longer absence. */
export function useLastLook(onReturn: (since: string) => void): ReadonlySignal<string> {
  const since = useSignal(firstSince());
  useEffect(() => {
    shownSince.value = since.value;
    const leave = (): void => void (lastLook.value = new Date().toISOString());
    const turn = (): void => {
      if (document.visibilityState === "hidden") return leave();
      if (Date.now() - Date.parse(lastLook.peek()) < AWAY_MS) return;
      since.value = shownSince.value = lastLook.peek();
      onReturn(since.value);
    };
    document.addEventListener("visibilitychange", turn);
    addEventListener("pagehide", leave);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);
  return since;
}

function firstSince(): string {
  const isBack = Date.now() - Date.parse(lastLook.peek()) < AWAY_MS && shownSince.peek() !== "";
  return isBack ? shownSince.peek() : lastLook.peek();
}
