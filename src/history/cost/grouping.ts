/** The groupings of a report and the tree of sums. */
import type { CostBreakdown } from "../../core/cost.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { TimeZone } from "../../lib/values/time-zone.ts";
import { CostSum, type CostItem } from "./cost-item.ts";

export const COST_GROUPS = [
  "agent",
  "model",
  "hour",
  "day",
  "week",
  "month",
  "tag",
  "session",
  "project",
  "branch",
] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

/** The keys an item is counted under; several only for tags. */
type KeysOf = (item: CostItem, tags: readonly string[]) => readonly string[];

export class Grouping {
  readonly #keys: readonly KeysOf[];

  constructor(groups: readonly CostGroup[], zone: TimeZone) {
    this.#keys = groups.map((group) => keysBy(group, zone));
  }

  /** Adds an item to a group and to its subgroups at every level. */
  add(root: CostGroupSum, item: CostItem, tags: readonly string[]): void {
    this.#addAt(root, item, tags, 0);
  }

  #addAt(group: CostGroupSum, item: CostItem, tags: readonly string[], level: number): void {
    group.count(item);
    const keysOf = this.#keys[level];
    if (keysOf === undefined) return;
    for (const key of keysOf(item, tags)) this.#addAt(group.child(key), item, tags, level + 1);
  }
}

export function groupsFrom(value: CostGroup | readonly CostGroup[] | undefined): readonly CostGroup[] {
  const groups = typeof value === "string" ? [value] : (value ?? []);
  const unknown = groups.find((group) => !COST_GROUPS.includes(group));
  if (unknown !== undefined) throw invalid(`Costs are grouped by ${COST_GROUPS.join(", ")}, not by "${unknown}".`);
  if (new Set(groups).size < groups.length) throw invalid(`"${groups.join(",")}" names a grouping twice.`);
  return groups;
}

export function zoneFrom(name: string | undefined): TimeZone {
  try {
    return new TimeZone(name);
  } catch (error) {
    throw invalid(`"${name}" is not a time zone; names are like Europe/Berlin or UTC.`, error);
  }
}

function invalid(message: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", message, { cause });
}

const DATE_GROUPS = ["hour", "day", "week", "month"] as const;
type DateGroup = (typeof DATE_GROUPS)[number];

export function isDateGroup(group: string): group is DateGroup {
  return (DATE_GROUPS as readonly string[]).includes(group);
}

/** A day as is, the Monday of its week, or its month as 2026-11. */
export function periodOf(group: Exclude<DateGroup, "hour">, day: string): string {
  if (group === "day") return day;
  if (group === "month") return day.slice(0, "2026-11".length);
  const ms = Date.parse(day);
  return new Date(ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, day.length);
}

const DAY_MS = 86_400_000;

/** The key for a missing value. */
export const WITHOUT: Readonly<Record<"model" | "day" | "tag" | "project" | "branch", string>> = {
  model: "(unknown model)",
  day: "(no date)",
  tag: "(untagged)",
  project: "(no directory)",
  branch: "(no branch)",
};

function keysBy(group: CostGroup, zone: TimeZone): KeysOf {
  switch (group) {
    case "agent":
      return (item) => [item.agent];
    case "model":
      return (item) => [item.model ?? WITHOUT.model];
    case "hour":
      return (item) => [item.at === undefined ? WITHOUT.day : zone.hourOf(item.at)];
    case "day":
    case "week":
    case "month":
      return (item) => [item.at === undefined ? WITHOUT.day : periodOf(group, zone.dayOf(item.at))];
    case "tag":
      return (_, tags) => (tags.length > 0 ? tags : [WITHOUT.tag]);
    case "session":
      return (item) => [joinUnifiedId(item.agent, item.sessionId)];
    case "project":
      return (item) => [item.cwd ?? WITHOUT.project];
    case "branch":
      return (item) => [item.branch ?? WITHOUT.branch];
  }
}

/** Sums over sessions that are counted only here. */
export interface CostSums extends Pick<CostItem, "nanoUsd" | "requests" | "kind" | "tokens"> {
  sessions: number;
}

export class CostGroupSum {
  readonly #sum = new CostSum();
  readonly #sessions = new Set<string>();
  #otherSessions = 0;
  readonly #children = new Map<string, CostGroupSum>();

  count(item: CostItem): void {
    this.#sum.add(item);
    this.#sessions.add(joinUnifiedId(item.agent, item.sessionId));
  }

  /** Spending of other sessions, already summed. */
  countSums(sum: Omit<CostSums, "sessions">, sessions: number): void {
    this.#sum.add(sum);
    this.#otherSessions += sessions;
  }

  /** Items of a subgroup that are not yet summed. */
  sessionsIn(key: string): ReadonlySet<string> {
    const group = this.#children.get(key);
    return group === undefined ? new Set() : group.#sessions;
  }

  child(key: string): CostGroupSum {
    let child = this.#children.get(key);
    if (child === undefined) this.#children.set(key, (child = new CostGroupSum()));
    return child;
  }

  figures(): Omit<CostBreakdown, "key" | "breakdowns"> {
    return {
      ...this.#sum.record(),
      sessionCount: this.#sessions.size + this.#otherSessions,
      requestCount: this.#sum.requests,
    };
  }

  /** By key, in key order; undefined at the lowest level. */
  breakdowns(): Record<string, CostBreakdown> | undefined {
    if (this.#children.size === 0) return undefined;
    const sorted = [...this.#children].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([key, child]) => {
        const below = child.breakdowns();
        return [key, { key, ...child.figures(), ...(below ? { breakdowns: below } : {}) }];
      }),
    );
  }
}
