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
  parseTranscriptName,
  type TranscriptName,
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
