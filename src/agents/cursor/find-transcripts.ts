/**
 * Transcripts below `projects/<slug>/agent-transcripts/`: `<id>/<id>.jsonl`, before that `<id>.jsonl`, before that
 * `<id>.txt`; a sub-agent's is `<parent>/subagents/<id>.jsonl`.
 */
import { basename, dirname, extname, join } from "node:path";
import { entriesOf, filesBelow, type FileStat } from "../../lib/fs/directory.ts";
import type { AgentEnv } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { projectsDir } from "./locations.ts";

export interface FoundTranscript {
  id: string;
  file: FileStat;
  format: "lines" | "text";
  /** Name of the project directory. */
  slug: string;
  parentId?: string;
}

/** By session id. Of several transcripts the most detailed counts: JSONL before text, then the newest. */
export function findTranscripts(env: AgentEnv, notes: ReadNotes): Map<string, FoundTranscript> {
  const found = new Map<string, FoundTranscript>();
  for (const { name: slug } of entriesOf(projectsDir(env), notes.onProblem)) {
    const root = join(projectsDir(env), slug, "agent-transcripts");
    for (const file of filesBelow(root, (name) => /\.(jsonl|txt)$/.test(name), notes.onProblem)) {
      const transcript = transcriptAt(root, slug, file);
      if (transcript === undefined) continue;
      const known = found.get(transcript.id);
      if (known === undefined || isBetter(transcript, known)) found.set(transcript.id, transcript);
    }
  }
  return found;
}

function transcriptAt(root: string, slug: string, file: FileStat): FoundTranscript | undefined {
  const extension = extname(file.path);
  const id = basename(file.path, extension);
  const directory = dirname(file.path);
  const transcript: FoundTranscript = { id, file, slug, format: extension === ".txt" ? "text" : "lines" };
  if (directory === root || directory === join(root, id)) return transcript;
  if (basename(directory) === "subagents") return { ...transcript, parentId: basename(dirname(directory)) };
  return undefined;
}

function isBetter(candidate: FoundTranscript, known: FoundTranscript): boolean {
  if (candidate.format !== known.format) return candidate.format === "lines";
  return candidate.file.mtimeMs > known.file.mtimeMs;
}
