/** Notices that the compared session went on, and compares again unless it works, or the user is in the middle of something. */
import { effect } from "@preact/signals";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { grown, recentlyActive, sessions } from "../state/projection.ts";
import { isOf } from "../transcript/transcript.ts";
import type { Changes } from "./changes.ts";

/** Between comparisons that nobody asked for, since they read the whole repository. */
const PAUSE_MS = 2000;

export function keepFresh(changes: Changes): () => void {
  const { target, isOutdated, isLoading, isBusy } = changes;
  const running = (): MuxSession | undefined => {
    if ("id" in target) return sessions.value.get(target.id);
    return [...sessions.value.values()].find((each) => each.alive && isOf(each, target.unifiedId, target.peer));
  };
  let heard = grown.peek();
  const stopGrowth = effect(() => {
    const now = grown.value;
    if (now === heard || now === null) return;
    const isIt =
      "id" in target
        ? // A new conversation can be told before the session that writes it.
          isOf(sessions.value.get(target.id), now.unifiedId, now.peer)
        : now.unifiedId === target.unifiedId && now.peer === target.peer;
    if (!isIt) return;
    heard = now;
    isOutdated.value = true;
  });
  // A shell has no transcript that would grow.
  const shell = "id" in target ? target.id : "";
  let active = recentlyActive.peek().get(shell);
  const stopActivity = recentlyActive.subscribe((now) => {
    const until = now.get(shell);
    if (until === active || until === undefined) return;
    active = until;
    const session = sessions.peek().get(shell);
    if (session !== undefined && (session.agent ?? session.kind) === "shell") isOutdated.value = true;
  });
  let pauseEnds = 0;
  const stopReloads = effect(() => {
    if (isLoading.value) pauseEnds = 0;
    else pauseEnds ||= Date.now() + PAUSE_MS;
    if (!isOutdated.value || isLoading.value || isBusy.value) return undefined;
    const session = running();
    if (session?.alive !== true || session.status?.working === true) return undefined;
    const timer = setTimeout(() => void changes.refresh(), pauseEnds - Date.now());
    return () => clearTimeout(timer);
  });
  return () => {
    stopGrowth();
    stopActivity();
    stopReloads();
  };
}
