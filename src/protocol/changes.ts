/** What a session changed: `GET /v1/sessions/{id}/changes` and `GET /v1/history/{unifiedId}/changes`. */
import * as z from "zod/mini";

const ChangeOrigin = z.object({
  tier: z.enum(["proved", "near", "none"]),
  agent: z.optional(z.string()),
  sessionId: z.optional(z.string()),
  sessionTitle: z.optional(z.string()),
  messageIndex: z.optional(z.int()),
  toolCallId: z.optional(z.string()),
  at: z.optional(z.string()),
  reason: z.string(),
});

const ChangeHunk = z.object({
  id: z.optional(z.string()),
  oldStart: z.int(),
  oldLines: z.int(),
  newStart: z.int(),
  newLines: z.int(),
  lines: z.array(
    z.object({
      kind: z.enum(["context", "added", "removed"]),
      text: z.string(),
      oldLine: z.optional(z.int()),
      newLine: z.optional(z.int()),
    }),
  ),
  origin: ChangeOrigin,
  ranges: z.optional(z.array(z.object({ start: z.int(), end: z.int(), origin: ChangeOrigin }))),
});

const ChangedFile = z.object({
  path: z.string(),
  oldPath: z.optional(z.string()),
  state: z.enum(["added", "modified", "deleted", "renamed", "typechange", "untracked"]),
  isBinary: z.boolean(),
  added: z.int(),
  removed: z.int(),
  hunks: z.optional(z.array(ChangeHunk)),
  omitted: z.optional(z.string()),
});

/** The type is `SessionChanges` of `core/changes.ts`. Without `hunks` or `path` in the query, files come without hunks. */
export const ChangesAnswer = z.object({
  root: z.string(),
  base: z.object({
    commit: z.string(),
    chosen: z.enum(["recorded", "merge-base", "head"]),
    sentence: z.string(),
  }),
  end: z.optional(z.string()),
  lookedAt: z.optional(z.string()),
  notes: z.optional(z.array(z.string())),
  files: z.array(ChangedFile),
  added: z.int(),
  removed: z.int(),
  truncated: z.optional(z.string()),
});

const MAX_FILES = 5000;
const MAX_HUNKS = 20_000;

/** Hunks that the user has looked at; `since_look` leaves them out from then on. */
export const LookedAt = z.object({
  files: z
    .array(
      z.object({
        path: z.string().check(z.maxLength(4096)),
        hunks: z.array(z.string().check(z.regex(/^[0-9a-f]{16}$/))).check(z.maxLength(MAX_HUNKS)),
      }),
    )
    .check(z.maxLength(MAX_FILES)),
});
export type LookedAt = z.infer<typeof LookedAt>;
