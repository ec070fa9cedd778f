/**
 * Hermes' own notes: `memories/MEMORY.md` and `USER.md` in each home, with entries separated by a line `§`. A search
 * finds them, but they are not sessions.
 */
import { join, relative } from "node:path";
import { codeOf, fileStat } from "../../lib/fs/directory.ts";
import type { AgentEnv, MemoryNote } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { defaultHome, homes } from "./locations.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export interface MemoryEntry extends MemoryNote {
  /** The file, relative to the default home, and the entry's number. */
  id: string;
}

const MEMORY_FILES = ["MEMORY.md", "USER.md"];
/** Hermes caps each file at a few thousand characters. */
const MAX_MEMORY_BYTES = 4 * 1024 * 1024;

export function* memoryEntries(env: AgentEnv, notes: ReadNotes): Generator<MemoryEntry> {
  for (const home of homes(env)) {
    for (const name of MEMORY_FILES) {
      const path = join(home, "memories", name);
      const file = relative(defaultHome(env), path);
      const { texts, updatedMs } = entriesIn(path, notes);
      for (const [index, text] of texts.entries()) yield { id: `${file}#${index + 1}`, path, text, updatedMs };
    }
  }
}

function entriesIn(path: string, notes: ReadNotes): { texts: string[]; updatedMs: number } {
  const stat = fileStat(path, notes.onProblem);
  const entries = { texts: [] as string[], updatedMs: stat?.mtimeMs ?? 0 };
  if (stat === undefined) return entries;
  if (stat.size > MAX_MEMORY_BYTES) {
    notes.skip(path, "is too large for memory notes");
    return entries;
  }
  try {
    entries.texts = readText(path)
      .split(/^\s*§\s*$/m)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
  } catch (error) {
    notes.skip(path, `cannot be read (${codeOf(error)})`);
  }
  return entries;
}
