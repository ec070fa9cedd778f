/** omp's sessions: Pi's tree with a title record in front, separate sub-agents, and an archive. */
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readBytes } from "../../lib/fs/foreign-file.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseRecord, readStart, splitLines } from "../../lib/json/jsonl.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { memoryRecords, openTree, summarizeTree, type TreeOptions, type TreeReader } from "../shared/jsonl-tree.ts";
import { fileRecords, summarizeFiles } from "../shared/tree-file.ts";
import type { TreeHeader } from "../shared/tree-format.ts";
import { idInName, type TreeLocator } from "../shared/tree-store.ts";
import { ARCHIVE_SUFFIX, listSessions } from "./discover.ts";
import { SILENT_TYPES } from "./format.ts";
import { roots, sessionDir } from "./locations.ts";
import { openSubagents, transcriptsOf, usageOfSubagents } from "./subagents.ts";

export const history = {
  roots: (env) => roots(env),
  sessionDir,
  listSessions,
  summarize,
  read,
  // Its artifact folder: outputs of tools, and notes.
  belongings: ({ path }) => (path.endsWith(".jsonl") ? [path.slice(0, -".jsonl".length)] : []),
} satisfies History;

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const { records } = source.locator as TreeLocator;
  if (!isArchived(source)) {
    const summary = summarizeFiles(records, notes);
    return summary && completed(summary.head, summary.header, source);
  }
  try {
    // The full reader notes damage.
    const records = archivedRecords(source.path, new ReadNotes(), HEAD_BYTES);
    const { head, header, hasConversation } = summarizeTree(records);
    return header || hasConversation ? completed(head, header, source) : undefined;
  } catch (error) {
    notes.skip(source.path, errorText(error));
    return undefined;
  }
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
  if (!isArchived(source)) return openTree(fileRecords(records, notes), notes, options);
  try {
    return openTree(memoryRecords(archivedRecords(source.path, notes)), notes, options);
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${source.path} ${errorText(error)}.`, { cause: error });
  }
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

/** The limit of an unpacked archive, which is held in memory; larger ones are refused. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;
/** Compressed bytes that contain title, header and first prompt. */
const HEAD_BYTES = 64 * 1024;

/**
 * The records of a session that `omp gc --archive` gzipped: all, or those in the first packed bytes. Throws if it is not gzip or
 * has no record.
 */
function archivedRecords(path: string, notes: ReadNotes, headBytes?: number): Json[] {
  let bytes: Buffer;
  try {
    const { constants, gunzipSync } = process.getBuiltinModule("node:zlib");
    const packed = headBytes === undefined ? readBytes(path, MAX_DOCUMENT_BYTES) : readStart(path, headBytes);
    bytes = gunzipSync(packed, {
      maxOutputLength: MAX_UNPACKED_BYTES,
      // A sync flush returns the decoded part of a truncated stream instead of failing.
      ...(headBytes === undefined ? {} : { finishFlush: constants.Z_SYNC_FLUSH }),
    });
  } catch (error) {
    throw new Error(`cannot be unpacked (${codeOf(error)})`, { cause: error });
  }
  const lines = splitLines(bytes, true);
  const records = lines.map(parseRecord).filter((record) => record !== undefined);
  if (lines.length > 0 && records.length === 0) throw new Error("holds no readable record");
  if (records.length < lines.length) notes.damage(path, lines.length - records.length);
  return records;
}
