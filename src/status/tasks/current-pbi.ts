/** Finds the backlog item a project works on. The rules and their order are those of the published resolver. */
import { LinearPattern } from "../../lib/text/linear-pattern.ts";
import { plain, type TaskGroup, type TaskList } from "./task-list.ts";

export interface CurrentPbi {
  id: string;
  title: string;
  source: "provider_hint" | "session_metadata" | "branch_pattern" | "status_heuristic" | "first_group_fallback";
}

export interface PbiFacts {
  list: TaskList | undefined;
  /** Sessions in the project's directory. */
  sessions: readonly { pbi: string; title: string; timestamp: number }[];
  branch: string;
  /** The user's regular expressions, each with exactly one group for the number; others are skipped. */
  branchPatterns?: readonly string[];
}

export function resolveCurrentPbi({ list, sessions, branch, branchPatterns = [] }: PbiFacts): CurrentPbi | undefined {
  const groups = list?.groups ?? [];
  return (
    fromHint(list, groups) ??
    fromSessions(sessions, groups) ??
    fromBranch(branch, branchPatterns, groups) ??
    fromStatus(groups) ??
    fromFirst(groups)
  );
}

function fromHint(list: TaskList | undefined, groups: readonly TaskGroup[]): CurrentPbi | undefined {
  if (list?.current_pbi_id !== undefined) {
    const title = list.current_pbi_title ?? titleOf(groups, list.current_pbi_id);
    return { id: list.current_pbi_id, title, source: "provider_hint" };
  }
  const marked = groups.find((group) => group.is_current === true && (group.id !== "" || group.title !== ""));
  return marked === undefined ? undefined : { id: marked.id, title: marked.title, source: "provider_hint" };
}

function fromSessions(sessions: PbiFacts["sessions"], groups: readonly TaskGroup[]): CurrentPbi | undefined {
  const newest = sessions.filter(({ pbi }) => pbi !== "").sort((a, b) => b.timestamp - a.timestamp)[0];
  if (newest === undefined) return undefined;
  return {
    id: newest.pbi,
    title: newest.title === "" ? titleOf(groups, newest.pbi) : newest.title,
    source: "session_metadata",
  };
}

/** Nobody has more branch patterns. */
const MAX_PATTERNS = 100;
const BRANCH_PATTERNS = [/^feature\/pbi-(\d+)(?:$|[-/].*)/, /^pbi-(\d+)(?:$|[-/].*)/, /^(\d+)-/];

function fromBranch(branch: string, patterns: readonly string[], groups: readonly TaskGroup[]): CurrentPbi | undefined {
  const own = patterns.slice(0, MAX_PATTERNS).flatMap(compiled);
  const ways = [
    ...BRANCH_PATTERNS.map((pattern) => () => pattern.exec(branch)),
    ...own.map((pattern) => () => pattern.match(branch)),
  ];
  for (const match of ways) {
    const number = match()?.[1];
    if (number === undefined) continue;
    const id = idFor(number, groups);
    return { id, title: titleOf(groups, id), source: "branch_pattern" };
  }
  return undefined;
}

function compiled(source: string): LinearPattern[] {
  try {
    const pattern = new LinearPattern(source);
    return pattern.groups === 1 ? [pattern] : [];
  } catch {
    return []; // Not a regular expression.
  }
}

/** The group it names: the same id, an id that ends in it, or the other ids' prefix with it. */
function idFor(number: string, groups: readonly TaskGroup[]): string {
  const ids = groups.map(({ id }) => id).filter((id) => id !== "");
  const same = ids.find((id) => id === number) ?? ids.find((id) => new RegExp(`[-_/#]${number}$`).test(id));
  return same ?? `${commonPrefix(ids)}${number}`;
}

/** `PBI-` for PBI-1, PBI-2 and X-3: the most frequent prefix; empty if there is none. */
function commonPrefix(ids: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const prefix = /^(.*[-_/#])\d+$/.exec(id)?.[1];
    if (prefix !== undefined) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

const RANKS: readonly (readonly string[])[] = [
  ["inprogress"],
  ["agreed"],
  ["inreview", "review"],
  ["proposed"],
  ["done"],
];

function fromStatus(groups: readonly TaskGroup[]): CurrentPbi | undefined {
  for (const words of RANKS) {
    const group = groups.find(({ status }) => status !== undefined && words.includes(plain(status)));
    if (group !== undefined) return { id: group.id, title: group.title, source: "status_heuristic" };
  }
  return undefined;
}

function fromFirst([first]: readonly TaskGroup[]): CurrentPbi | undefined {
  return first === undefined ? undefined : { id: first.id, title: first.title, source: "first_group_fallback" };
}

function titleOf(groups: readonly TaskGroup[], id: string): string {
  return groups.find((group) => group.id.toLowerCase() === id.toLowerCase())?.title ?? "";
}
