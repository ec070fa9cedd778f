/** The file locations of Hermes: one database per home; every named profile is a home. */
import { basename, dirname, join } from "node:path";
import { filesIn, foldersIn, isDirectoryAt, type FileStat } from "../../lib/fs/directory.ts";
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
  return [...new Set([home, root, ...foldersIn(join(root, "profiles"), notes?.onProblem).sort()])];
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
  const order = ({ path }: FileStat): string => (basename(path) === STATE_DATABASE ? "" : path);
  return filesIn(home, (name) => name.endsWith(".db"), notes.onProblem)
    .filter(({ size }) => size > 0)
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** `<id>.jsonl` or `session_<id>.json`; other documents are not sessions. */
export function sessionOfFile(name: string): string | undefined {
  return /^(.+)\.jsonl$/.exec(name)?.[1] ?? /^session_(.+)\.json$/.exec(name)?.[1];
}

/** Lines before documents: the first file of a session counts. */
export function lineFilesOf(home: string, notes: ReadNotes): FileStat[] {
  const isDocument = ({ path }: FileStat): number => Number(path.endsWith(".json"));
  return filesIn(lineFileDirectory(home), (name) => sessionOfFile(name) !== undefined, notes.onProblem).sort(
    (a, b) => isDocument(a) - isDocument(b),
  );
}
