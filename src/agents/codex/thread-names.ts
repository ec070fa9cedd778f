/** Names that users gave to threads: in session_index.jsonl (the last one wins) and, in newer versions, in state_<n>.sqlite. */
import { join } from "node:path";
import { entriesOf, fileStat, noteOpened, type FileStat } from "../../lib/fs/directory.ts";
import { parseRecord, readLines } from "../../lib/json/jsonl.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import type { AgentEnv } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { filesOfDatabase } from "../shared/source-list.ts";
import { threadName, threadNamesIn } from "./format.ts";
import { codexHome } from "./locations.ts";

export interface ThreadName {
  name: string;
  /** The file with the name; its change may change the name. */
  file: FileStat;
}

/** Names by thread id; the database of newer versions is preferred to the index file. */
export function threadNames(env: AgentEnv, notes: ReadNotes): Map<string, ThreadName> {
  return new Map([...namesInIndex(env, notes), ...namesInDatabase(env, notes)]);
}

function namesInIndex(env: AgentEnv, notes: ReadNotes): Map<string, ThreadName> {
  const names = new Map<string, ThreadName>();
  const file = fileStat(join(codexHome(env), "session_index.jsonl"));
  if (file === undefined) return names;
  noteOpened(file.path);
  try {
    for (const line of readLines(file.path)) {
      const record = parseRecord(line.bytes);
      const named = record && threadName(record);
      if (named) names.set(named.id, { name: named.name, file });
    }
  } catch (error) {
    notes.skip(file.path, `thread names cannot be read (${String(error)})`);
  }
  return names;
}

const STATE_DATABASE = /^state_(\d+)\.sqlite$/;

function namesInDatabase(env: AgentEnv, notes: ReadNotes): Map<string, ThreadName> {
  const newestFirst = entriesOf(codexHome(env))
    .map((entry) => STATE_DATABASE.exec(entry.name))
    .filter((match) => match !== null)
    .sort((a, b) => Number(b[1]) - Number(a[1]));
  for (const [name] of newestFirst) {
    const file = fileStat(join(codexHome(env), name));
    if (file === undefined) continue;
    for (const { path } of filesOfDatabase(file)) noteOpened(path);
    try {
      const names = withDatabase(file.path, threadNamesIn);
      if (names === undefined) continue;
      return new Map(names.map(({ id, name }) => [id, { name, file }]));
    } catch (error) {
      notes.skip(file.path, `thread names cannot be read (${String(error)})`);
    }
  }
  return new Map();
}
