/** The session files in an agent's `sessions` directory, and their session ids. */
import { join } from "node:path";
import { entriesOf, fileStat, type FileStat } from "../../lib/fs/directory.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import type { ReadNotes } from "../read-notes.ts";
import { readTreeHeader } from "../shared/tree-format.ts";
import { headerIdOf } from "../shared/tree-store.ts";
import type { SessionEntry } from "./format.ts";
import { parseTranscriptName, type TranscriptName } from "./transcript-names.ts";
import { inflate } from "./zstd.ts";
import { MAX_DOCUMENT_BYTES, readBytes } from "../../lib/fs/foreign-file.ts";

export interface TranscriptFile extends TranscriptName {
  stat: FileStat;
  entry: SessionEntry | undefined;
}

/**
 * Session ids come from the index, else from the file name. After a reset, 2026.5 kept the old session's name, so if
 * several files share a name, the header decides for those that are not in the index.
 */
export function listTranscripts(directory: string, index: readonly SessionEntry[], notes: ReadNotes): TranscriptFile[] {
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
