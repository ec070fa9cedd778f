/** Finds the project of IDE conversations that do not name it. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { entriesOf, fileStat } from "../../lib/fs/directory.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import type { AgentEnv } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { folderOf } from "./format.ts";
import { conversationsIn } from "./format-ide.ts";
import { workspacesDir } from "./locations.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

/** Conversation id to project directory, from each workspace's database. */
export function workspaceFolders(env: AgentEnv, notes: ReadNotes): Map<string, string> {
  const folders = new Map<string, string>();
  for (const [path, folder] of knownWorkspaces(env)) {
    const database = join(path, "state.vscdb");
    if (fileStat(database) === undefined) continue;
    try {
      for (const id of withDatabase(database, conversationsIn)) folders.set(id, folder);
    } catch (error) {
      notes.skip(database, errorText(error));
    }
  }
  return folders;
}

/** Workspace storage directories and their folders. */
export function* knownWorkspaces(env: AgentEnv): Generator<[path: string, folder: string]> {
  const root = workspacesDir(env);
  for (const entry of entriesOf(root)) {
    if (!entry.isDirectory()) continue;
    const path = join(root, entry.name);
    try {
      const uri = folderOf(readText(join(path, "workspace.json")));
      if (uri?.startsWith("file:")) yield [path, fileURLToPath(uri)];
    } catch {
      // A window without a folder has no workspace.json; a remote folder has no local path.
    }
  }
}
