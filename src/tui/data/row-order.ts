/** Filters and sorts rows. Icons, sorting, filters and counts use the same composite status. */
import { isUrgent, urgency } from "../../core/state.ts";
import type { Row } from "./row.ts";

export const SORTS = ["priority", "name", "age", "duration", "cost", "status", "directory"] as const;
export type Sort = (typeof SORTS)[number];

export const SCOPES = ["all", "live", "past"] as const;
export const MACHINES = ["all", "local", "remote"] as const;

export interface RowFilter {
  /** Words that must all occur in name, directory, message, agent or branch; ignores case. */
  text: string;
  /** Only this status; `error` includes sessions that ended in one. */
  status?: string;
  hideDone: boolean;
  /** Running sessions, or all others. */
  scope: (typeof SCOPES)[number];
  /** Sessions of this machine, or of others. */
  machine: (typeof MACHINES)[number];
  /** Only sessions in this directory. */
  directory?: string;
}

export const NO_FILTER: RowFilter = { text: "", hideDone: false, scope: "all", machine: "all" };

export function shownRows(rows: readonly Row[], filter: RowFilter, sort: Sort): Row[] {
  return rows.filter((row) => matches(row, filter)).sort((a, b) => compare(a, b, sort));
}

function matches(row: Row, { text, status, hideDone, scope, machine, directory }: RowFilter): boolean {
  if (status !== undefined && row.status !== status && !(status === "error" && row.hasFailed === true)) return false;
  if (hideDone && row.kind !== "past" && ["done", "offline", "stopped"].includes(row.status)) return false;
  if (scope !== "all" && (scope === "live") !== isRunning(row)) return false;
  if (machine !== "all" && (machine === "remote") !== (row.kind === "peer")) return false;
  if (directory !== undefined && row.cwd !== directory) return false;
  if (text === "") return true;
  const searched = [row.name, row.cwd, row.message, row.agent, row.git?.branch ?? "", row.key].join("\n").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

/** It has a terminal on some machine. */
export function isRunning(row: Row): boolean {
  return sectionOf(row) === "running";
}

/** Running before ended before past, in every order. */
const PLACES = ["running", "ended", "past"] as const;
export type Section = (typeof PLACES)[number];

export function sectionOf({ kind, peer }: Row): Section {
  if (peer !== undefined) return peer.alive ? "running" : peer.hasRun ? "ended" : "past";
  return kind === "past" ? "past" : kind === "dead" ? "ended" : "running";
}

function compare(a: Row, b: Row, sort: Sort): number {
  const place = PLACES.indexOf(sectionOf(a)) - PLACES.indexOf(sectionOf(b));
  if (place !== 0) return place;
  return by(a, b, sort) || b.updatedMs - a.updatedMs || (a.key < b.key ? -1 : 1);
}

function by(a: Row, b: Row, sort: Sort): number {
  switch (sort) {
    case "priority":
      return tier(a) - tier(b);
    case "name":
      return a.name.localeCompare(b.name);
    case "age":
      return b.updatedMs - a.updatedMs;
    case "duration":
      return b.updatedMs - b.createdMs - (a.updatedMs - a.createdMs);
    case "cost":
      return (b.cost?.totalUsd ?? -1) - (a.cost?.totalUsd ?? -1);
    case "status":
      return urgency(a.status) - urgency(b.status);
    case "directory":
      return a.cwd.localeCompare(b.cwd) || a.name.localeCompare(b.name);
  }
}

/** Waiting sessions first, then working ones, then the rest. */
function tier(row: Row): number {
  const { status, team } = row;
  if (!isRunning(row)) return 3;
  if (isUrgent(status) || team.some((member) => isUrgent(member.status))) return 0;
  return status === "working" ? 1 : 2;
}
