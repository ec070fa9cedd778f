/**
 * Reorders rows by dragging, or by Alt and an arrow key. The new order goes to the daemon; rows move when its event
 * arrives.
 */
import { signal } from "@preact/signals";
import type { HTMLAttributes, TargetedDragEvent } from "preact";
import { api } from "../state/api.ts";
import { projects } from "../state/projection.ts";
import { attempt } from "../ui/notices.ts";
import { arrangement } from "./arrangement.ts";
import type { Group } from "./groups.ts";
import { withMove } from "./ordering.ts";

/** The drop target: before another row, or at the end of a group. */
export interface Gap {
  group: string;
  before: string | null;
}

const dragged = signal<string | null>(null);
export const gap = signal<Gap | null>(null);

export function rowHandlers(id: string, group: string): HTMLAttributes<HTMLLIElement> {
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }) => {
      dragged.value = id;
      // Firefox does not start a drag without data.
      dataTransfer?.setData("text/plain", id);
    },
    onDragEnd: forget,
    onDragOver: (event) => {
      event.stopPropagation();
      const { top, height } = event.currentTarget.getBoundingClientRect();
      const isUpper = event.clientY < top + height / 2;
      hover(event, { group, before: isUpper ? id : after(group, id) });
    },
    onKeyDown: (event) => {
      const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
      if (step === undefined) return;
      event.preventDefault();
      moveBy(id, group, step);
    },
  };
}

/** Handlers for the list element. */
export function listHandlers(group: string): HTMLAttributes<HTMLUListElement> {
  return {
    onDragOver: (event) => hover(event, { group, before: null }),
    onDrop: (event) => {
      event.preventDefault();
      const { value: id } = dragged;
      const { value: place } = gap;
      forget();
      if (id !== null && place !== null) move(id, place);
    },
  };
}

function hover(event: TargetedDragEvent<HTMLElement>, next: Gap): void {
  if (dragged.value === null) return;
  event.preventDefault();
  if (gap.value?.group !== next.group || gap.value.before !== next.before) gap.value = next;
}

function forget(): void {
  dragged.value = null;
  gap.value = null;
}

function moveBy(id: string, key: string, step: number): void {
  const ids = groupOf(key)?.sessions.map((session) => session.id) ?? [];
  const others = ids.filter((other) => other !== id);
  const to = ids.indexOf(id) + step;
  if (to >= 0 && to < ids.length) move(id, { group: key, before: others[to] ?? null });
}

function move(id: string, { group: key, before }: Gap): void {
  const group = groupOf(key);
  if (group === undefined || id === before) return;
  const list = withMove(projects.value, group, id, before);
  if (list !== undefined) void attempt(() => api.replaceProjects(list));
}

function after(key: string, id: string): string | null {
  const ids = groupOf(key)?.sessions.map((session) => session.id) ?? [];
  return ids[ids.indexOf(id) + 1] ?? null;
}

function groupOf(key: string): Group | undefined {
  return arrangement.value.groups.find((group) => group.key === key);
}
