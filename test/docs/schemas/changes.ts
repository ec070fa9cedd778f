/** What commands about changes in a repository print with `--json`. */
import * as z from "zod";

const Count = z.int().min(0);

export const Origin = z.strictObject({
  tier: z.enum(["proved", "near", "none"]),
  agent: z.string().optional(),
  sessionId: z.string().optional(),
  sessionTitle: z.string().optional(),
  messageIndex: Count.optional(),
  toolCallId: z.string().optional(),
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

export const CHANGES_SCHEMAS: Record<string, z.ZodType> = {
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
