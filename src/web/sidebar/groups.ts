/** Groups the sidebar's sessions: pins, then projects in the user's order, then places without a project. */
import { conversationOf } from "../../client/conversation.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { normalizedRemote, projectFinder } from "../../protocol/project-matching.ts";
import type { ProjectsAnswer } from "../../protocol/projects.ts";
import { baseName } from "../ui/figures.ts";

/** Sessions that ended more recently than this stay in their group. */
const RECENT_MS = 12 * 3_600_000;

/** The key of the pins group. */
export const PINS = "pins";

export interface Group {
  /** `project/<slug>`, `place/<path or remote>` or `pins`. */
  key: string;
  name: string;
  path: string;
  /** Tells it from others of the same name: the directory above, or the machine. Absent if the name is unique. */
  hint?: string;
  /** For a place that is a repository. */
  remote?: string;
  sessions: MuxSession[];
}

export interface Arrangement {
  groups: Group[];
  /** Ended sessions that are not shown above, newest first. */
  previous: MuxSession[];
}

export function arrange(
  all: Iterable<MuxSession>,
  projects: ProjectsAnswer,
  { filter = "", now = Date.now() }: { filter?: string; now?: number } = {},
): Arrangement {
  const pins = new Set(projects.pins);
  const listed = new Set(projects.items.flatMap((project) => project.sessions));
  const groups = new Map<string, Group>();
  if (pins.size > 0) groups.set(PINS, { key: PINS, name: "Pinned", path: "", sessions: [] });
  for (const { slug, name, match } of projects.items) {
    const path = match[0]?.path ?? "";
    groups.set(`project/${slug}`, { key: `project/${slug}`, name: name ?? slug, path, sessions: [] });
  }
  const projectOf = projectFinder(projects.items);
  const groupFor = (session: MuxSession): Group => {
    if (pins.has(session.id)) return groups.get(PINS)!;
    const project = projectOf(session);
    return project === undefined ? placeFor(session, groups) : groups.get(`project/${project.slug}`)!;
  };
  const previous: MuxSession[] = [];
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  for (const session of all) {
    if (!words.every((word) => textOf(session).includes(word))) continue;
    if (!session.alive && !isListed(session, listed) && !pins.has(session.id) && !isRecent(session, now)) {
      previous.push(session);
      continue;
    }
    groupFor(session).sessions.push(session);
  }
  const order = new Map([...projects.pins, ...listed].map((id, index) => [id, index]));
  for (const group of groups.values()) group.sessions.sort((a, b) => byOrder(a, b, order));
  previous.sort((a, b) => (endOf(a) < endOf(b) ? 1 : -1));
  const shown = [...groups.values()].filter(({ sessions, key }) => sessions.length > 0 || isEmptyShown(key, words));
  tellApart(shown);
  return { groups: shown, previous };
}

/** Gives groups of the same name a hint. */
function tellApart(groups: readonly Group[]): void {
  const named = new Map<string, Group[]>();
  for (const group of groups) named.set(group.name, [...(named.get(group.name) ?? []), group]);
  for (const same of named.values()) {
    const hints = same.length === 1 ? [] : hintsOf(same);
    for (const [index, hint] of hints.entries()) same[index]!.hint = hint;
  }
}

/** As few directories above as tell them apart; the machine, if their paths are equal. */
function hintsOf(same: readonly Group[]): string[] {
  const above = same.map(({ path }) => path.split("/").slice(1, -1));
  const longest = Math.max(...above.map(({ length }) => length));
  for (let depth = 1; depth <= longest; depth++) {
    const hints = above.map((parts) => parts.slice(-depth).join("/"));
    if (new Set(hints).size === same.length) return hints;
  }
  return same.map(({ sessions: [first] }, index) => first?.peer ?? above[index]!.at(-1) ?? "");
}

/** An empty project stays, because sessions can be launched from it; an empty search result does not. */
function isEmptyShown(key: string, words: readonly string[]): boolean {
  return key.startsWith("project/") && words.length === 0;
}

/**
 * For sessions without a project: a repository is one place on all machines; any other directory is a place of one
 * machine.
 */
function placeFor(session: MuxSession, groups: Map<string, Group>): Group {
  const { remotes = {}, peer } = session;
  const path = session.workspace_root ?? session.cwd;
  const remote = remotes["origin"] ?? Object.values(remotes).sort()[0];
  const key =
    remote === undefined ? `place/${path}${peer === undefined ? "" : `@${peer}`}` : `place/${normalizedRemote(remote)}`;
  const group = groups.get(key) ?? {
    key,
    name: baseName(path),
    path,
    ...(remote === undefined ? {} : { remote }),
    sessions: [],
  };
  groups.set(key, group);
  return group;
}

function isRecent({ exited_at, started_at }: MuxSession, now: number): boolean {
  return started_at !== undefined && exited_at !== undefined && now - Date.parse(exited_at) < RECENT_MS;
}

function textOf({ title, kind, cwd, slug = "", id, status }: MuxSession): string {
  return `${title} ${kind} ${cwd} ${slug} ${id} ${status?.label ?? ""}`.toLowerCase();
}

function endOf({ exited_at, created_at }: MuxSession): string {
  return exited_at ?? created_at;
}

/** A project refers to a session by its id and by its conversation, which outlives it. */
function isListed(session: MuxSession, listed: ReadonlySet<string>): boolean {
  return listed.has(session.id) || listed.has(conversationOf(session) ?? "");
}

function placeIn(order: ReadonlyMap<string, number>, session: MuxSession): number | undefined {
  return order.get(session.id) ?? order.get(conversationOf(session) ?? "");
}

function byOrder(a: MuxSession, b: MuxSession, order: ReadonlyMap<string, number>): number {
  const [left, right] = [placeIn(order, a), placeIn(order, b)];
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1;
  if (a.alive !== b.alive) return a.alive ? -1 : 1;
  return a.created_at < b.created_at ? 1 : -1;
}
