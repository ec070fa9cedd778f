/**
 * Reads status files like the original program: every `*.json`, typed fields, names without regard to case. A field of another
 * type makes it skip the file.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Type = "string" | "int" | "bool" | { list: Type } | { map: Type } | { fields: Readonly<Record<string, Type>> };

const GIT: Type = {
  fields: {
    branch: "string",
    dirty: "bool",
    ahead: "int",
    behind: "int",
    last_commit: "string",
    remote: "string",
    pr_num: "int",
    fetched_at: "int",
  },
};

const TIME: Type = {
  fields: { started: "int", total_seconds: "int", working_seconds: "int", waiting_seconds: "int" },
};

/** Nested, as in its code; the documented flat ones are other fields to it. */
const METRICS: Type = {
  fields: {
    time: TIME,
    tools: { fields: { recent: { list: "string" }, counts: { map: "int" } } },
    tokens: { fields: { input: "int", output: "int", total: "int" } },
    resource: { fields: { rss_bytes: "int" } },
  },
};

const SESSION: Type = {
  fields: {
    tmux_session: "string",
    status: "string",
    message: "string",
    cwd: "string",
    timestamp: "int",
    current_pbi: "string",
    current_pbi_title: "string",
    git: GIT,
    metrics: METRICS,
    team: {
      fields: { name: "string", agents: { list: { fields: { name: "string", status: "string", timestamp: "int" } } } },
    },
    agents: { map: { fields: { status: "string", timestamp: "int" } } },
    remote: "string",
  },
};

export interface OriginalSession {
  tmux_session: string;
  status: string;
  message: string;
  cwd: string;
  timestamp: number;
  git?: { branch: string; pr_num?: number };
  metrics?: { time?: { total_seconds: number }; tools?: { counts?: Record<string, number>; recent?: string[] } };
  team?: { agents: { name: string; status: string; timestamp: number }[] };
  agents?: Record<string, { status: string; timestamp: number }>;
}

/** Undefined for each file that it would skip. */
export function readLikeTheOriginal(directory: string): Map<string, OriginalSession | undefined> {
  const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
  return new Map(
    names.map((name) => {
      try {
        return [name, decode(JSON.parse(readFileSync(join(directory, name), "utf8")), SESSION) as OriginalSession];
      } catch (error) {
        if (error instanceof TypeError || error instanceof SyntaxError) return [name, undefined];
        throw error;
      }
    }),
  );
}

function decode(value: unknown, type: Type): unknown {
  if (value === null) return undefined;
  if (type === "string" && typeof value === "string") return value;
  if (type === "bool" && typeof value === "boolean") return value;
  // A 64-bit integer.
  if (type === "int" && Number.isSafeInteger(value)) return value;
  if (typeof type === "string" || typeof value !== "object")
    throw new TypeError(`${JSON.stringify(value)} is no ${JSON.stringify(type)}`);
  if ("list" in type) {
    if (!Array.isArray(value)) throw new TypeError("no list");
    return value.map((each) => decode(each, type.list));
  }
  if (Array.isArray(value)) throw new TypeError("a list");
  const entries = Object.entries(value as object);
  if ("map" in type) return Object.fromEntries(entries.map(([name, each]) => [name, decode(each, type.map)]));
  return Object.fromEntries(
    entries.flatMap(([name, each]) => {
      const known = Object.keys(type.fields).find((field) => field.toLowerCase() === name.toLowerCase());
      return known === undefined ? [] : [[known, decode(each, type.fields[known]!)]];
    }),
  );
}

const PRIORITY = ["permission", "waiting", "working", "error", "idle", "stopped", "done"];

/** The most urgent of all agents; on a tie the main one, then the first by name. */
export function compositeLikeTheOriginal({ status, agents = {} }: OriginalSession): { status: string; by: string } {
  const rank = (word: string): number => (PRIORITY.includes(word) ? PRIORITY.indexOf(word) : PRIORITY.length);
  let best = { status, by: "" };
  for (const [name, agent] of Object.entries(agents).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (rank(agent.status) < rank(best.status)) best = { status: agent.status, by: name };
  }
  return best;
}

/** Every state it has an icon for. */
export const ORIGINAL_STATUSES = [...PRIORITY, "offline"];
