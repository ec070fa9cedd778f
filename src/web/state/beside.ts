/** The sessions beside the one in the address. They are in the address too; a phone shows one session. */
import { computed, signal } from "@preact/signals";
import { isNarrow } from "./preferences.ts";
import { go, param, route, sessionPath, setParams } from "./route.ts";

/** With the main one, four fit on a screen. */
const MOST = 3;

/** The session that was opened last. */
export const focusedId = signal<string | null>(null);

/** In the address: the session, and which tab of it is shown if that is not its first. */
interface Pane {
  id: string;
  show: string;
}

const panes = computed<readonly Pane[]>(() => {
  const { value: here } = route;
  if (here.view !== "session" || isNarrow.value) return [];
  const found = new Map<string, Pane>();
  for (const text of param("beside").split(",")) {
    const [id = "", show = ""] = text.split(":");
    if (id !== "" && id !== here.id && !found.has(id)) found.set(id, { id, show });
  }
  return [...found.values()].slice(0, MOST);
});

export const besideIds = computed<readonly string[]>(() => panes.value.map(({ id }) => id));

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
  setParams({ beside: written([...panes.value, { id, show: "" }]) });
}

export function closeBeside(id: string): void {
  setParams({ beside: written(panes.value.filter((other) => other.id !== id)) });
}

/** The tab of a session beside the main one. */
export function shownBeside(id: string): string {
  return panes.value.find((pane) => pane.id === id)?.show ?? "";
}

export function showBeside(id: string, show: string): void {
  setParams({ beside: written(panes.value.map((pane) => (pane.id === id ? { id, show } : pane))) });
}

/** Closes the main session; the next one takes its place. */
export function closeMain(): void {
  const [next, ...others] = panes.value;
  go(next === undefined ? "/overview" : pathWith(next, others));
}

/** The address of a session that replaces the main one. */
export function pathBeside(id: string): string {
  return pathWith({ id, show: "" }, panes.peek());
}

function pathWith({ id, show }: Pane, others: readonly Pane[]): string {
  const query = [
    ...(show === "" ? [] : [`show=${show}`]),
    ...(others.length === 0 ? [] : [`beside=${written(others)}`]),
  ];
  return sessionPath(id) + (query.length === 0 ? "" : `?${query.join("&")}`);
}

function written(list: readonly Pane[]): string {
  return list.map(({ id, show }) => (show === "" ? id : `${id}:${show}`)).join(",");
}
