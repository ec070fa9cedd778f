/** What commands about changes in a repository print with `--json`. */
import * as z from "zod";
import { Cost } from "./past.ts";

const Count = z.int().min(0);

export const Origin = z.strictObject({
  tier: z.enum(["proved", "near", "none"]),
  agent: z.string().optional(),
  sessionId: z.string().optional(),
  sessionTitle: z.string().optional(),
  messageIndex: Count.optional(),
  toolCallId: z.string().optional(),
  subagent: z.string().optional(),
  machine: z.string().optional(),
  parentSessionId: z.string().optional(),
  at: z.iso.datetime().optional(),
  reason: z.string(),
});

const Line = z.strictObject({
  kind: z.enum(["context", "added", "removed"]),
  text: z.string(),
  oldLine: Count.optional(),
  newLine: Count.optional(),
});

const Hunk = z.strictObject({
  id: z.string(),
  oldStart: Count,
  oldLines: Count,
  newStart: Count,
  newLines: Count,
  lines: z.array(Line),
  origin: Origin,
  ranges: z.array(z.strictObject({ start: Count, end: Count, origin: Origin })).optional(),
});

const File = z.strictObject({
  path: z.string(),
  oldPath: z.string().optional(),
  state: z.enum(["added", "modified", "deleted", "renamed", "typechange", "untracked"]),
  isBinary: z.boolean(),
  added: Count,
  removed: Count,
  hunks: z.array(Hunk).optional(),
  omitted: z.string().optional(),
});

const Blamed = z.strictObject({
  path: z.string(),
  start: z.int().min(1),
  end: z.int().min(1),
  change: z.enum(["added", "removed"]),
  commit: z.string().optional(),
  origin: Origin,
  evidence: z.enum(["proved by this edit", "near in time and file", "not by a session we know"]),
  prompt: z.string().optional(),
  model: z.string().optional(),
  turnUsd: z.number().optional(),
});

const BlamedSession = z.strictObject({
  unifiedId: z.string(),
  agent: z.string(),
  sessionId: z.string(),
  title: z.string(),
  machine: z.string().optional(),
  model: z.string().optional(),
  cost: Cost.optional(),
  proved: Count,
  near: Count,
});

const CostKind = z.enum(["reported", "computed", "lower-bound", "unpriced", "unknown"]);

const CostShares = z.array(
  z.strictObject({
    unifiedId: z.string(),
    title: z.string(),
    totalUsd: z.number(),
    kind: CostKind,
    proved: Count,
    near: Count,
  }),
);

export const CHANGES_SCHEMAS: Record<string, z.ZodType> = {
  "cost commits": z.strictObject({
    root: z.string(),
    pullRequest: Count.optional(),
    since: z.iso.datetime().optional(),
    until: z.iso.datetime().optional(),
    commits: z.array(
      z.strictObject({
        commit: z.string(),
        at: z.iso.datetime(),
        subject: z.string(),
        totalUsd: z.number(),
        kind: CostKind,
        sessions: CostShares,
      }),
    ),
    otherCommits: Count,
    rest: z.strictObject({ totalUsd: z.number(), kind: CostKind, sessions: CostShares }),
    totalUsd: z.number(),
    notes: z.array(z.string()),
  }),
  blame: z.strictObject({
    root: z.string(),
    target: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("file"), path: z.string(), start: Count, end: Count }),
      z.strictObject({ kind: z.literal("commit"), commit: z.string(), subject: z.string() }),
      z.strictObject({ kind: z.literal("pull-request"), number: Count, base: z.string(), head: z.string() }),
    ]),
    lines: z.strictObject({ proved: Count, near: Count, none: Count }),
    ranges: z.array(Blamed),
    sessions: z.array(BlamedSession),
    notes: z.array(z.string()),
  }),
  changes: z.strictObject({
    root: z.string(),
    base: z.strictObject({
      commit: z.string(),
      chosen: z.enum(["recorded", "merge-base", "head"]),
      sentence: z.string(),
    }),
    end: z.string().optional(),
    lookedAt: z.iso.datetime().optional(),
    notes: z.array(z.string()).optional(),
    files: z.array(File),
    added: Count,
    removed: Count,
    truncated: z.string().optional(),
  }),
};
