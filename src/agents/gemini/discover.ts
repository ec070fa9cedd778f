/** Finds the sessions of a store, each once, although a session can have up to four files. */
import { basename, dirname, extname, join } from "node:path";
import { entriesOf, filesIn, fileStat, foldersIn, type FileStat } from "../../lib/fs/directory.ts";
import { readStart } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { lastChange } from "../shared/source-list.ts";
import { documentedDir, geminiDir, projectsDir } from "./locations.ts";
import { Projects } from "./projects.ts";
import { isCheckpoint, savedChats, type SavedChat } from "./saved-chat.ts";

export interface GeminiLocator {
  /** The session's files, the preferred one first; empty for a saved chat. */
  chats: string[];
  saved?: SavedChat;
  cwd?: string;
  /** The session whose sub-agent wrote this one. */
  parentId?: string;
}

/** The directory of a project's folder. */
interface Place {
  cwd?: string;
  /** As far as Gemini CLI's files show it; the current directory does not make a cached head invalid. */
  told?: string;
}

interface ChatFile {
  stat: FileStat;
  sessionId: string;
  place: Place;
  parentId: string | undefined;
}

export function listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[] {
  const projects = new Projects(geminiDir(env), [cwd, env.vars["PWD"], env.home], notes);
  const byId = new Map<string, ChatFile[]>();
  const saved: SavedInProject[] = [];
  for (const folder of foldersIn(projectsDir(env), notes.onProblem)) {
    const found = searchProject(folder, projects, notes);
    for (const file of found.files) {
      const same = byId.get(file.sessionId);
      if (same) same.push(file);
      else byId.set(file.sessionId, [file]);
    }
    for (const one of found.saved) saved.push(one);
  }

  const sources = new Map<string, SessionSource>();
  for (const [sessionId, files] of byId) sources.set(sessionId, chatSource(files));
  // An upgrade copies the old folder: logs and checkpoints then exist twice, and the copy may have the chats.
  for (const { chat, place } of saved) {
    const source = sources.has(chat.sessionId) ? undefined : savedSource(chat, place);
    if (source) sources.set(chat.sessionId, source);
  }
  for (const stat of filesIn(documentedDir(env), (name) => name.endsWith(".jsonl"), notes.onProblem)) {
    const file = { stat, sessionId: basename(stat.path, ".jsonl"), place: {}, parentId: undefined };
    if (!sources.has(file.sessionId)) sources.set(file.sessionId, chatSource([file]));
  }
  return [...sources.values()];
}

interface SavedInProject {
  chat: SavedChat;
  place: Place;
}

/** The contents of one folder under `tmp/`. */
function searchProject(
  folder: string,
  projects: Projects,
  notes: ReadNotes,
): { files: ChatFile[]; saved: SavedInProject[] } {
  const name = basename(folder);
  const names = entriesOf(folder, notes.onProblem).map((entry) => entry.name);
  const files = [...chatFiles(join(folder, "chats"), notes)];
  const checkpoints = names.filter(isCheckpoint);
  const mentions = [...files.map(({ stat }) => stat.path), ...checkpoints.map((file) => join(folder, file))];
  // Gemini CLI also downloads programs into such folders.
  if (mentions.length === 0 && !names.includes("logs.json")) return { files, saved: [] };
  const told = projects.toldOf(name, mentions);
  const place = { ...optional("cwd", told ?? projects.guessOf(name)), ...optional("told", told) };
  for (const file of files) file.place = place;
  const hasChats = names.includes("chats");
  if (hasChats && checkpoints.length === 0) return { files, saved: [] };
  const recorded = new Set(files.map((file) => file.sessionId));
  const chats = savedChats(folder, checkpoints, recorded, hasChats, notes);
  return { files, saved: chats.map((chat) => ({ chat, place })) };
}

const CHAT_NAME = /\.jsonl?$/;

/** Chats of a project; those of sub-agents are in a folder named after the parent session. */
function* chatFiles(directory: string, notes: ReadNotes, parentId?: string): Generator<ChatFile> {
  for (const entry of entriesOf(directory, notes.onProblem)) {
    const path = join(directory, entry.name);
    if (CHAT_NAME.test(entry.name)) {
      const stat = fileStat(path, notes.onProblem);
      if (stat && stat.size > 0) yield { stat, sessionId: sessionIdIn(path), place: {}, parentId };
    } else if (parentId === undefined && entry.isDirectory()) yield* chatFiles(path, notes, entry.name);
  }
}

/** Both generations have the header first. */
const HEADER_BYTES = 4096;
const SESSION_ID = /(?<!\\)"sessionId"\s*:\s*"([^"\\]{1,200})"/;

/** The name of a chat file has only eight characters of the id; the header has all of it. */
function sessionIdIn(path: string): string {
  const stem = basename(path, extname(path));
  try {
    return SESSION_ID.exec(readStart(path, HEADER_BYTES).toString("utf8"))?.[1] ?? stem;
  } catch {
    // Reading the session reports why.
    return stem;
  }
}

function chatSource(files: ChatFile[]): SessionSource {
  files.sort(byPreference);
  const locator: GeminiLocator = {
    chats: files.map(({ stat }) => stat.path),
    ...optional("cwd", files.find(({ place }) => place.cwd !== undefined)?.place.cwd),
    ...optional("parentId", files[0]!.parentId),
  };
  const told = files.find(({ place }) => place.told !== undefined)?.place.told;
  return {
    sessionId: files[0]!.sessionId,
    ...filesOf(files.map(({ stat }) => stat)),
    locator,
    ...optional("elsewhere", told),
  };
}

/** Long tool results, plans and trackers. The id is from the file's contents. */
export function belongings({ path, sessionId }: SessionSource): string[] {
  const chats = dirname(path);
  if (basename(chats) !== "chats" || basename(sessionId) !== sessionId || /^\.{0,2}$/.test(sessionId)) return [];
  const project = dirname(chats);
  return [join(project, "tool-outputs", `session-${sessionId}`), join(project, sessionId)];
}

function filesOf(files: FileStat[]): Pick<SessionSource, "path" | "files" | "updatedMs"> {
  return { path: files[0]!.path, files, updatedMs: lastChange(files) };
}

/**
 * Lines before documents: a newer version that resumes a document continues in lines beside it. Then the oldest name: a resume
 * appends to the first file and leaves a stub with a later name.
 */
function byPreference(a: ChatFile, b: ChatFile): number {
  const lines = Number(b.stat.path.endsWith(".jsonl")) - Number(a.stat.path.endsWith(".jsonl"));
  if (lines !== 0) return lines;
  const names = compare(basename(a.stat.path), basename(b.stat.path));
  // After an upgrade the copied folder is the one in use.
  return names !== 0 ? names : b.stat.mtimeMs - a.stat.mtimeMs;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function savedSource(saved: SavedChat, { cwd, told }: Place): SessionSource | undefined {
  const stats = [saved.checkpoint, saved.log].flatMap((path) => (path === undefined ? [] : (fileStat(path) ?? [])));
  if (stats.length === 0) return undefined;
  const locator: GeminiLocator = { chats: [], saved, ...optional("cwd", cwd) };
  return { sessionId: saved.sessionId, ...filesOf(stats), locator, ...optional("elsewhere", told) };
}
