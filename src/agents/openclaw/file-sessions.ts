/** Sessions in files: transcripts with their index, archives, imported originals, documents. */
import { join } from "node:path";
import { entriesOf, fileStat } from "../../lib/fs/directory.ts";
import type { ReadNotes } from "../read-notes.ts";
import {
  archiveIdentity,
  documentIdentity,
  liveIdentity,
  known,
  type FoundSession,
  type Identity,
} from "./found-session.ts";
import type { KeyTimeline } from "./key-timeline.ts";
import type { AgentDirectory } from "./locations.ts";
import { readSessionIndex } from "./session-index.ts";
import { listTranscripts, type TranscriptFile } from "./transcript-files.ts";

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
