/** When the overview was last looked at: left for another view, or hidden with the whole page. */
import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lastLook } from "../state/preferences.ts";

/** Who only glanced away has not stopped looking. */
const AWAY_MS = 60_000;

/** `onReturn` is called when somebody looks again after a while, with when that was. */
export function useLastLook(onReturn: (since: string) => void): ReadonlySignal<string> {
  const since = useSignal(lastLook.peek());
  useEffect(() => {
    const leave = (): void => void (lastLook.value = new Date().toISOString());
    const turn = (): void => {
      if (document.visibilityState === "hidden") return leave();
      if (Date.now() - Date.parse(lastLook.peek()) < AWAY_MS) return;
      since.value = lastLook.peek();
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
