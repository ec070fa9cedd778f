/** omp's sessions: Pi's tree with a title record in front, separate sub-agents, and an archive. */
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { memoryRecords, openTree, summarizeTree, type TreeOptions, type TreeReader } from "../shared/jsonl-tree.ts";
import type { TreeHeader } from "../shared/tree-format.ts";
import { fileRecords, summarizeFiles } from "../shared/tree-file.ts";
import { idInName, type TreeLocator } from "../shared/tree-store.ts";
import { archivedRecords, firstArchivedRecords } from "./archive.ts";
import { ARCHIVE_SUFFIX, listSessions } from "./discover.ts";
import { roots, sessionDir } from "./locations.ts";
import { openSubagents, transcriptsOf, usageOfSubagents } from "./subagents.ts";

/** Entries beyond Pi's that change settings or do accounting; they are not messages. */
const SILENT_TYPES = new Set([
  "archive",
  "credential_pin",
  "mcp_tool_selection",
  "mode_change",
  "service_tier_change",
  "session_init",
  "ttsr_injection",
]);

export const history = {
  roots: (env) => roots(env),
  sessionDir,
  listSessions,
  summarize,
  read,
} satisfies History;

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const { records } = source.locator as TreeLocator;
  if (!isArchived(source)) {
    const summary = summarizeFiles(records, notes);
    return summary && completed(summary.head, summary.header, source);
  }
  const { head, header, hasConversation } = summarizeTree(firstArchivedRecords(source.path, notes));
  return header || hasConversation ? completed(head, header, source) : undefined;
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const tree = open(source, notes);
  if (tree === undefined) return undefined;
  const helpers = once(() => openSubagents(source, tree.header, notes, { silentTypes: SILENT_TYPES }));
  return {
    head: completed(tree.head, tree.header, source),
    messages: () => tree.messages(),
    counts: () => tree.counts(),
    *usage() {
      yield* tree.usage();
      yield* usageOfSubagents(helpers());
    },
    subagents: () => transcriptsOf(helpers(), () => tree.messages()),
    raw: () => tree.raw(),
    copyUpTo: (last) => tree.copyUpTo(last),
  };
}

function open(source: SessionSource, notes: ReadNotes): TreeReader | undefined {
  const { records, documented } = source.locator as TreeLocator;
  const options: TreeOptions = { silentTypes: SILENT_TYPES, leaf: documented ? "newest" : "last-entry" };
  return isArchived(source)
    ? openTree(memoryRecords(archivedRecords(source.path, notes)), notes, options)
    : openTree(fileRecords(records, notes), notes, options);
}

function completed(head: SessionHead, header: TreeHeader | undefined, source: SessionSource): SessionHead {
  return {
    ...head,
    // An id after `/fork`, a path after `branch`.
    ...(header?.parentSession === undefined ? {} : { forkedFrom: idInName(header.parentSession) }),
    ...(isArchived(source) ? { archived: true } : {}),
  };
}

function isArchived(source: SessionSource): boolean {
  return source.path.endsWith(ARCHIVE_SUFFIX);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
