/** The file locations of Hermes: one database per home; every named profile is a home. */
import { basename, dirname, join } from "node:path";
import { entriesOf, fileStat, isDirectoryAt, type FileStat } from "../../lib/fs/directory.ts";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";

const STATE_DATABASE = "state.db";

/** The home a plain `hermes` uses. */
export function defaultHome(env: AgentEnv): string {
  const set = directoryFrom(env, "HERMES_HOME");
  if (set !== undefined) return set;
  if (env.platform !== "win32") return join(env.home, ".hermes");
  return join(directoryFrom(env, "LOCALAPPDATA") ?? join(env.home, "AppData", "Local"), "hermes");
}

/** Inside a profile HERMES_HOME is the profile's directory; its siblings are the others. */
function rootOf(home: string): string {
  return basename(dirname(home)) === "profiles" ? dirname(dirname(home)) : home;
}

/** The default home first, then the other homes of the installation. */
export function homes(env: AgentEnv, notes?: ReadNotes): string[] {
  const home = defaultHome(env);
  const root = rootOf(home);
  const profiles = join(root, "profiles");
  const names = entriesOf(profiles, notes?.onProblem)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => join(profiles, entry.name))
    .sort();
  return [...new Set([home, root, ...names])];
}

/** Databases and notes may be anywhere in a home. */
export function locations(env: AgentEnv): string[] {
  const home = defaultHome(env);
  return [...new Set([home, rootOf(home)])];
}

/** Whether Hermes' root directory exists. */
export function isInstalled(env: AgentEnv): boolean {
  return isDirectoryAt(rootOf(defaultHome(env)));
}

export function stateDatabase(home: string): string {
  return join(home, STATE_DATABASE);
}

/** Transcripts of old gateways and of the documented layout. */
export function lineFileDirectory(home: string): string {
  return join(home, "sessions");
}

/**
 * The databases of a home that may hold sessions, `state.db` first. The documentation leaves the name open, so others
 * are checked too; Hermes' other databases have no session tables.
 */
export function databasesOf(home: string, notes: ReadNotes): FileStat[] {
  const names = entriesOf(home, notes.onProblem)
    .map((entry) => entry.name)
    .filter((name) => name.endsWith(".db") && name !== STATE_DATABASE)
    .sort();
  const databases: FileStat[] = [];
  for (const name of [STATE_DATABASE, ...names]) {
    const stat = fileStat(join(home, name), notes.onProblem);
    if (stat !== undefined && stat.size > 0) databases.push(stat);
  }
  return databases;
}

/** `<id>.jsonl` or `session_<id>.json`; other documents are not sessions. */
export function sessionOfFile(name: string): string | undefined {
  return /^(.+)\.jsonl$/.exec(name)?.[1] ?? /^session_(.+)\.json$/.exec(name)?.[1];
}

/** Lines before documents: the first file of a session counts. */
export function lineFilesOf(home: string, notes: ReadNotes): FileStat[] {
  const directory = lineFileDirectory(home);
  const files: FileStat[] = [];
  for (const entry of entriesOf(directory, notes.onProblem)) {
    if (sessionOfFile(entry.name) === undefined) continue;
    const stat = fileStat(join(directory, entry.name), notes.onProblem);
    if (stat !== undefined) files.push(stat);
  }
  return files.sort((a, b) => Number(a.path.endsWith(".json")) - Number(b.path.endsWith(".json")));
}
