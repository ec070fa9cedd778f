/** Sessions in files: transcripts with their index, archives, imported originals, documents. */
import { join } from "node:path";
import { entriesOf, fileStat, type FileStat } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readBytes } from "../../lib/fs/foreign-file.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import type { ReadNotes } from "../read-notes.ts";
import { readTreeHeader } from "../shared/tree-format.ts";
import { headerIdOf } from "../shared/tree-store.ts";
import type { SessionEntry } from "./format.ts";
import {
  archiveIdentity,
  documentIdentity,
  type FoundSession,
  type Identity,
  type KeyTimeline,
  known,
  liveIdentity,
  readSessionIndex,
} from "./found-session.ts";
import type { AgentDirectory } from "./locations.ts";
import { inflate } from "./zstd.ts";

/** Sessions from an agent's transcripts. Adds the keys of its index to `keys`. */
export function fileSessions(
  agent: AgentDirectory,
  owner: string,
  keys: KeyTimeline,
  notes: ReadNotes,
): FoundSession[] {
  const index = readSessionIndex(join(agent.transcripts, "sessions.json"), notes);
  for (const entry of index) keys.add(entry);
  const files = listTranscripts(agent.transcripts, index, notes);
  const imported = agent.imported === undefined ? [] : listTranscripts(agent.imported, [], notes);
  return files.concat(imported).map((file) => {
    const about = known(file.entry);
    if (file.archived === "reset" || file.archived === "deleted") about.about.archived = true;
    return {
      ...identityOf(file, owner),
      ...about,
      path: file.stat.path,
      files: [file.stat],
      updatedMs: file.stat.mtimeMs,
      transcript: { kind: file.compressed ? "compressed" : "file" },
    };
  });
}

function identityOf(file: TranscriptFile, owner: string): Identity {
  if (file.archived === undefined) return liveIdentity(file.id, owner);
  if (file.archived === "imported") return { ...liveIdentity(file.id, owner), rank: "imported" };
  return archiveIdentity("archive-file", file.id, file);
}

/** The documented layout, `<channel>/<session-id>.json`. No known build writes it. */
export function documentSessions(directory: string, notes: ReadNotes): FoundSession[] {
  const found: FoundSession[] = [];
  for (const entry of entriesOf(directory)) {
    if (!entry.isDirectory()) continue;
    const channel = entry.name;
    for (const { name } of entriesOf(join(directory, channel), notes.onProblem)) {
      const stat = name.endsWith(".json") ? fileStat(join(directory, channel, name), notes.onProblem) : undefined;
      if (stat === undefined) continue;
      found.push({
        ...documentIdentity(name.slice(0, -".json".length), channel),
        about: {},
        path: stat.path,
        files: [stat],
        updatedMs: stat.mtimeMs,
        transcript: { kind: "document", channel },
      });
    }
  }
  return found;
}

/** The session files in an agent's `sessions` directory, and their session ids. */
interface TranscriptFile extends TranscriptName {
  stat: FileStat;
  entry: SessionEntry | undefined;
}

/**
 * Session ids come from the index, else from the file name. After a reset, 2026.5 kept the old session's name, so if
 * several files share a name, the header decides for those that are not in the index.
 */
function listTranscripts(directory: string, index: readonly SessionEntry[], notes: ReadNotes): TranscriptFile[] {
  const entryByFile = new Map(index.map((entry) => [entry.fileName ?? `${entry.sessionId}.jsonl`, entry]));
  const files: TranscriptFile[] = [];
  const uses = new Map<string, number>();
  for (const { name } of entriesOf(directory, notes.onProblem)) {
    const parsed = parseTranscriptName(name);
    const stat = parsed && fileStat(join(directory, name), notes.onProblem);
    if (parsed === undefined || stat === undefined) continue;
    uses.set(parsed.id, (uses.get(parsed.id) ?? 0) + 1);
    files.push({ ...parsed, stat, entry: entryByFile.get(name) });
  }
  return files.map((file) => {
    const headerDecides = file.entry === undefined && uses.get(file.id)! > 1;
    const idIn = file.compressed ? compressedHeaderId : headerIdOf;
    return { ...file, id: file.entry?.sessionId ?? (headerDecides ? idIn(file.stat.path) : undefined) ?? file.id };
  });
}

/** A header is a few hundred bytes. */
const HEADER_BYTES = 4096;

function compressedHeaderId(path: string): string | undefined {
  try {
    const [line] = inflate(readBytes(path, MAX_DOCUMENT_BYTES), HEADER_BYTES).bytes.toString().split("\n", 1);
    return readTreeHeader(parseRecord(Buffer.from(line ?? "")) ?? {})?.id;
  } catch {
    // Unreadable or damaged; opening the session reports it.
    return undefined;
  }
}

/**
 * Parses transcript file names. Only the name distinguishes a session from a copy: checkpoints and trajectories also
 * end in `.jsonl`, and a checkpoint has the session's own header.
 */
export interface TranscriptName {
  /** The session id in the name. */
  id: string;
  /** Distinguishes files with the same id. */
  distinctId: string;
  archived?: "reset" | "deleted" | "imported";
  /** The whole file is zstd-compressed. */
  compressed: boolean;
}

/** `2026-11-15T02-07-53.296Z`: an ISO time that is valid in a file name. */
const STAMP = String.raw`\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:[.-]\d{3})?Z`;
const ARCHIVE = new RegExp(String.raw`^(.+)\.jsonl\.(reset|deleted)\.(${STAMP}|\d+)(\.[0-9A-Za-z-]+)?$`);
/** `<session key with _>.<id>.jsonl.imported-<ms>`. Ids chosen by a user, and their keys, may contain dots. */
const IMPORTED = /^(?:.+\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|[^.]+\.(.+))\.jsonl\.imported-\d+$/;
const CHECKPOINT = /\.checkpoint\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/i;
/** A compaction that truncates the transcript continues in a new file with a Pi file name. */
const SUCCESSOR = new RegExp(`^${STAMP}_(.+)$`);
const THREAD = /^(.+)-topic-.+$/;

/** Undefined for other files: the index, locks, backups, checkpoints, trajectories. */
export function parseTranscriptName(name: string): TranscriptName | undefined {
  const compressed = name.endsWith(".zst");
  const plain = compressed ? name.slice(0, -".zst".length) : name;

  const archive = ARCHIVE.exec(plain);
  if (archive !== null) {
    const [, stem, reason, stamp] = archive as unknown as [string, string, "reset" | "deleted", string];
    return { id: idOf(stem), distinctId: `${stem}.${reason}.${stamp}`, archived: reason, compressed };
  }
  const imported = IMPORTED.exec(plain);
  if (imported !== null) {
    const stem = (imported[1] ?? imported[2])!;
    return { id: idOf(stem), distinctId: stem, archived: "imported", compressed };
  }
  if (!plain.endsWith(".jsonl") || plain.endsWith(".trajectory.jsonl") || CHECKPOINT.test(plain)) return undefined;
  const stem = plain.slice(0, -".jsonl".length);
  return { id: idOf(stem), distinctId: stem, compressed };
}

function idOf(stem: string): string {
  return SUCCESSOR.exec(stem)?.[1] ?? THREAD.exec(stem)?.[1] ?? stem;
}
