/** The sessions beside the one in the address. They are in the address too; a phone shows one session. */
import { computed, signal } from "@preact/signals";
import { isNarrow } from "./preferences.ts";
import { go, param, route, sessionPath, setParams } from "./route.ts";

/** With the main one, four fit on a screen. */
const MOST = 3;

/** The session that was opened last. */
export const focusedId = signal<string | null>(null);

export const besideIds = computed<readonly string[]>(() => {
  const { value: here } = route;
  if (here.view !== "session" || isNarrow.value) return [];
  const ids = param("beside").split(",").filter(Boolean);
  return [...new Set(ids)].filter((id) => id !== here.id).slice(0, MOST);
});

/** The session beside the main one whose terminal gets the keys; null if the main one gets them. */
export const keysBeside = computed(() => besideIds.value.find((id) => id === focusedId.value) ?? null);

export function canOpenBeside(id: string): boolean {
  const { value: here } = route;
  if (here.view !== "session" || here.id === null || here.id === id || isNarrow.value) return false;
  return !isFull() && !besideIds.value.includes(id);
}

export function isFull(): boolean {
  return besideIds.value.length >= MOST;
}

export function openBeside(id: string): void {
  focusedId.value = id;
  setParams({ beside: [...besideIds.value, id].join(",") });
}

export function closeBeside(id: string): void {
  setParams({ beside: besideIds.value.filter((other) => other !== id).join(",") });
}

/** Closes the main session; the next one takes its place. */
export function closeMain(): void {
  const [next, ...others] = besideIds.value;
  go(next === undefined ? "/overview" : pathWith(next, others));
}

/** The address of a session that replaces the main one. */
export function pathBeside(id: string): string {
  return pathWith(id, besideIds.peek());
}

function pathWith(id: string, others: readonly string[]): string {
  return others.length === 0 ? sessionPath(id) : `${sessionPath(id)}?beside=${others.join(",")}`;
}
