/** Reads OpenClaw's sessions as Pi session trees, from any location. */
import { basename, join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readBytes, readText } from "../../lib/fs/foreign-file.ts";
import { asObject, type Json } from "../../lib/json/fields.ts";
import { parseRecord, splitLines } from "../../lib/json/jsonl.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { memoryRecords, openTree, summarizeTree, type TreeOptions, type TreeReader } from "../shared/jsonl-tree.ts";
import { fileRecords, summarizeFiles } from "../shared/tree-file.ts";
import type { TreeHeader } from "../shared/tree-format.ts";
import { listSessions } from "./discover.ts";
import { documentUpdatedMs, transcriptOf } from "./format-document.ts";
import { readBlob, readEvents, type StoredBlob, uncovered } from "./format.ts";
import { type About, isCopied, locatorOf, type Transcript, parseTranscriptName } from "./found-session.ts";
import { stateDirectories, topSessions } from "./locations.ts";
import { promptText } from "./prompt-text.ts";
import { inflate } from "./zstd.ts";

export const history: History = {
  roots: (env) => stateDirectories(env).flatMap((state) => [join(state.path, "agents"), topSessions(state)]),
  sessionDir: (env) => join(stateDirectories(env)[0]!.path, "agents"),
  listSessions,
  summarize,
  read,
};

const USER_TEXT = { userText: promptText } satisfies TreeOptions;

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const { transcript, about } = locatorOf(source);
  switch (transcript.kind) {
    case "rows":
      return withAbout(transcript.head, undefined, about);
    case "document":
      return summarizeDocument(source.path, source.sessionId, notes);
    case "file": {
      const summary = summarizeFiles([source.path], notes, USER_TEXT);
      return summary && withAbout(summary.head, summary.header, about);
    }
    case "compressed":
    case "blob":
      try {
        // The full reader notes damage.
        const { records, whole } = loadRecords(source.path, transcript, new ReadNotes(), OPENING_BYTES);
        const { head, header, hasConversation } = summarizeTree(records, USER_TEXT);
        if (!hasConversation && whole) return undefined;
        if (!whole) delete head.updatedMs;
        return withAbout(head, header, about);
      } catch (error) {
        notes.skip(source.path, `cannot be read (${errorText((error as Error).cause ?? error)})`);
        return undefined;
      }
  }
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const { transcript, about } = locatorOf(source);
  if (transcript.kind === "document") return readDocument(source.path, source.sessionId, transcript.channel, notes);
  const tree = open(source.path, transcript, about, notes);
  return tree && { ...tree, head: withAbout(tree.head, tree.header, about) };
}

function open(
  path: string,
  transcript: Exclude<Transcript, { kind: "document" }>,
  { fork }: About,
  notes: ReadNotes,
): TreeReader | undefined {
  if (transcript.kind === "file") return openTree(fileRecords([path], notes), notes, USER_TEXT);
  return openTree(memoryRecords(loadRecords(path, transcript, notes).records), notes, {
    ...USER_TEXT,
    ...(fork ? { isCopied: (entry) => isCopied(entry.at, fork) } : {}),
  });
}

function withAbout(head: SessionHead, header: TreeHeader | undefined, about: About): SessionHead {
  return {
    ...head,
    title: sessionTitle(about.name, head.title),
    ...(about.archived ? { archived: true } : {}),
    ...optional("parentId", about.parentId),
    ...optional("forkedFrom", about.fork?.from ?? parentIn(header)),
  };
}

/** Files name the session they continue or fork by path; the file name is enough. */
function parentIn(header: TreeHeader | undefined): string | undefined {
  const path = header?.parentSession;
  return path === undefined ? undefined : parseTranscriptName(basename(path.replaceAll("\\", "/")))?.id;
}

/**
 * The documented layout: `sessions/<channel>/<session-id>.json`, a document with title and messages, each with tokens and cost.
 */
function summarizeDocument(path: string, sessionId: string, notes: ReadNotes): SessionHead | undefined {
  try {
    // The full reader notes unknown records.
    return openDocument(path, sessionId, new ReadNotes())?.head;
  } catch (error) {
    notes.skip(path, reasonOf(error));
    return undefined;
  }
}

function readDocument(path: string, sessionId: string, channel: string, notes: ReadNotes): SessionReader | undefined {
  try {
    const tree = openDocument(path, sessionId, notes);
    return tree && { ...tree, raw: () => ({ channel, ...tree.document }) };
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} ${reasonOf(error)}.`, { cause: error });
  }
}

function openDocument(
  path: string,
  sessionId: string,
  notes: ReadNotes,
): (TreeReader & { document: Json }) | undefined {
  const document = parseDocument(path);
  const tree = openTree(memoryRecords(transcriptOf(document, sessionId)), notes);
  const updatedMs = documentUpdatedMs(document) ?? tree?.head.updatedMs;
  return tree && { ...tree, document, head: { ...tree.head, ...optional("updatedMs", updatedMs) } };
}

/** Throws if the file cannot be read or is not a JSON object. */
function parseDocument(path: string): Json {
  const document = asObject(JSON.parse(readText(path, MAX_DOCUMENT_BYTES).replace(/^\uFEFF/, "")));
  if (document === undefined) throw new SyntaxError("not an object");
  return document;
}

function reasonOf(error: unknown): string {
  return error instanceof SyntaxError ? "is not a JSON document" : `cannot be read (${codeOf(error)})`;
}

type LoadedTranscript = Extract<Transcript, { kind: "compressed" | "rows" | "blob" }>;

/** A list decodes only the beginning of an archive, which can be a thousand times larger than its file. */
const OPENING_BYTES = 64 * 1024;

/**
 * The records of a compressed transcript, or of one in the database: all, or until there are `enough` bytes. Throws PARSE_ERROR
 * if there are some and none is readable.
 */
function loadRecords(
  path: string,
  transcript: LoadedTranscript,
  notes: ReadNotes,
  enough?: number,
): { records: Json[]; whole: boolean } {
  let damaged = 0;
  let whole = true;
  let records: Json[];
  try {
    if (transcript.kind === "rows") {
      records = withDatabase(path, (database) => {
        damaged = 0;
        return [...readEvents(database, transcript.windowId, () => damaged++)];
      });
    } else {
      const { bytes, compressed } = storedBytes(path, transcript);
      const loaded = compressed ? inflate(bytes, enough) : { bytes: Buffer.from(bytes), whole, damaged: false };
      whole = loaded.whole;
      // Partial decoding ends within a line, which is not damage.
      const isCut = !whole && !loaded.damaged;
      records = recordsOf(
        isCut ? loaded.bytes.subarray(0, loaded.bytes.lastIndexOf(10) + 1) : loaded.bytes,
        () => damaged++,
      );
      if (loaded.damaged) damaged++;
    }
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `A session in ${path} cannot be read.`, { cause: error });
  }
  if (damaged > 0) notes.damage(path, damaged);
  if (damaged > 0 && records.length === 0) {
    throw new AgentMuxError("PARSE_ERROR", `A session in ${path} has no readable record.`);
  }
  return { records, whole };
}

function storedBytes(path: string, transcript: Exclude<LoadedTranscript, { kind: "rows" }>): StoredBlob {
  if (transcript.kind === "compressed") return { bytes: readBytes(path, MAX_DOCUMENT_BYTES), compressed: true };
  const { table, windowId, generation } = transcript;
  const blob = withDatabase(path, (database) => readBlob(database, table, windowId, generation));
  if (blob === undefined) throw new Error(`the archive of ${windowId} is gone`);
  return blob;
}

function recordsOf(bytes: Buffer, onDamage: () => void): Json[] {
  return splitLines(bytes, true).flatMap((line) => {
    const record = parseRecord(line);
    if (record === undefined) onDamage();
    return record === undefined ? [] : uncovered(record);
  });
}
