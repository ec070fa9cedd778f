/** The list of projects after a row was dropped, or pinned: what is sent to the daemon, which then tells it to everyone. */
import type { ProjectList, ProjectsAnswer } from "../../protocol/projects.ts";
import { PINS, type Group } from "./groups.ts";

export function withPin({ items, pins }: ProjectsAnswer, id: string): ProjectList {
  return { items, pins: pins.includes(id) ? pins.filter((pin) => pin !== id) : [...pins, id] };
}

/**
 * A row dropped before `target`, or last, in a group. Among the pins it becomes one; a pin that is dropped elsewhere is one
 * no more. To another project it cannot go: it runs where it runs.
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

/** Puts `moved` before `target` (or last) in the group; a place becomes a project when it is first arranged. */
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
    // Only what was in the place before; repositories below it are places of their own.
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
