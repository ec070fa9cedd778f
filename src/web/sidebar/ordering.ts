/** Computes the new list of projects after a drop or a pin. The daemon stores it and broadcasts it. */
import type { ProjectList, ProjectsAnswer } from "../../protocol/projects.ts";
import { PINS, type Group } from "./groups.ts";

export function withPin({ items, pins }: ProjectsAnswer, id: string): ProjectList {
  return { items, pins: pins.includes(id) ? pins.filter((pin) => pin !== id) : [...pins, id] };
}

/**
 * Drops a row before `target`, or at the end of a group. A row dropped among the pins is pinned; a pin dropped
 * elsewhere is unpinned. Rows cannot move to another project.
 */
export function withMove(
  answer: ProjectsAnswer,
  group: Group,
  moved: string,
  target: string | null,
): ProjectList | undefined {
  if (group.key === PINS || group.sessions.some(({ id }) => id === moved)) {
    return withOrder(answer, group, moved, target);
  }
  return answer.pins.includes(moved) ? withPin(answer, moved) : undefined;
}

/** Moves `moved` before `target` (or last) in the group. The first reordering turns a place into a project. */
export function withOrder(answer: ProjectsAnswer, group: Group, moved: string, target: string | null): ProjectList {
  const ids = group.sessions.map(({ id }) => id).filter((id) => id !== moved);
  const at = target === null ? ids.length : Math.max(0, ids.indexOf(target));
  ids.splice(at, 0, moved);
  const { items, pins } = answer;
  if (group.key === PINS) return { items, pins: ids };
  const slug = group.key.startsWith("project/") ? group.key.slice("project/".length) : undefined;
  if (slug !== undefined) {
    return { items: items.map((item) => (item.slug === slug ? { ...item, sessions: ids } : item)), pins };
  }
  const place = answer.discovered.find(({ path }) => path === group.path);
  const taken = new Set(items.map((item) => item.slug));
  const project = {
    slug: freeSlug(place?.suggested_slug ?? "project", taken),
    name: group.name,
    // Repositories inside the directory are places of their own.
    match: [{ path: group.path, exact: true }, ...(group.remote === undefined ? [] : [{ remote: group.remote }])],
    sessions: ids,
  };
  return { items: [...items, project], pins };
}

function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const slug = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(slug)) return slug;
  }
}
