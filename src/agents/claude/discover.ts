/**
 * Finding sessions from names alone. One session is `<id>.jsonl` plus, since 2.1, a directory `<id>/` with its
 * sub-agents' transcripts; versions 2.0.28 to 2.0.77 put sub-agents beside the sessions as `agent-<hex>.jsonl`, and
 * only their records tell whose they are.
 */
import { closeSync, openSync, readSync, type Dirent } from "node:fs";
import { join } from "node:path";
import {
  entriesOf,
  fileStat,
  filesBelow,
  isDirectoryAt,
  lookAtOnce,
  lookLater,
  noteOpened,
  type FileStat,
  type Looking,
} from "../../lib/directory.ts";
import { asText } from "../../lib/fields.ts";
import { parseRecord, readHeadAndTail } from "../../lib/jsonl.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { ListedSource } from "../shared/source-list.ts";
import { encodeCwd, projectsDirs } from "./places.ts";

export interface ClaudeLocator {
  subagents: string[];
  titleSidecar?: string;
}

/** What lies beside a session's own file: its sub-agents' transcripts, and the title it was given. */
interface Extras {
  files: FileStat[];
  title?: FileStat;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const OLD_SUBAGENT = /^agent-[0-9a-f]+\.jsonl$/;

function isOldSubagent(name: string): boolean {
  return name.startsWith("agent-") && OLD_SUBAGENT.test(name);
}

function isTranscript(name: string): boolean {
  return name.startsWith("agent-") && name.endsWith(".jsonl");
}

/** The same sessions; sizes and times of their files are found out when they are asked for. */
export function listNames(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  return listSessions(env, notes, undefined, lookLater);
}

export function listSessions(
  env: AgentEnv,
  notes: ReadNotes,
  cwd?: string,
  look: Looking = lookAtOnce,
): SessionSource[] {
  const sessions = new Map<string, SessionSource>();
  const wanted = cwd === undefined ? undefined : encodeCwd(cwd);
  for (const projects of projectsDirs(env)) {
    for (const project of entriesOf(projects, (path, reason) => notes.skip(path, reason))) {
      // A resumed session stays in the directory it began in, so other directories of the same project tree count too.
      if (wanted !== undefined && !project.name.startsWith(wanted)) continue;
      if (isDirectory(projects, project)) listProject(`${projects}/${project.name}`, sessions, notes, look);
    }
  }
  return [...sessions.values()];
}

function isDirectory(parent: string, entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && isDirectoryAt(join(parent, entry.name)));
}

function listProject(directory: string, sessions: Map<string, SessionSource>, notes: ReadNotes, look: Looking): void {
  const onProblem = (path: string, reason: string): void => notes.skip(path, reason);
  const entries = entriesOf(directory, onProblem);
  const extras = new Map<string, Extras>();
  const main: FileStat[] = [];
  const oldSubagents: FileStat[] = [];

  for (const entry of entries) {
    const path = `${directory}/${entry.name}`;
    if (entry.name.endsWith(".jsonl")) {
      const stat = look(path, entry, onProblem);
      if (stat) (isOldSubagent(entry.name) ? oldSubagents : main).push(stat);
    } else if (entry.isDirectory() && UUID.test(entry.name)) {
      extras.set(entry.name, listExtras(path, onProblem, look));
    }
  }
  for (const subagent of oldSubagents) {
    const owner = sessionIdInside(subagent.path);
    if (owner === undefined) notes.skip(subagent.path, "sub-agent transcript that names no session");
    else {
      const extra = extras.get(owner) ?? { files: [] };
      extra.files.push(subagent);
      extras.set(owner, extra);
    }
  }
  for (const stat of main) addSession(stat, extras, sessions, notes);
  for (const [id, extra] of extras) {
    const first = extra.files[0];
    if (first && !sessions.has(id)) notes.skip(first.path, "sub-agent transcript of a session whose own file is gone");
  }
}

function addSession(
  stat: FileStat,
  extras: Map<string, Extras>,
  sessions: Map<string, SessionSource>,
  notes: ReadNotes,
): void {
  const stem = stat.path.slice(stat.path.lastIndexOf("/") + 1, -".jsonl".length);
  // A stem that is no UUID is a copy somebody made, or the documented short id: the records decide.
  const inside = UUID.test(stem) ? undefined : sessionIdInside(stat.path);
  const sessionId = inside !== undefined && UUID.test(inside) ? inside : stem;
  const known = sessions.get(sessionId);
  if (known !== undefined) {
    notes.skip(stat.path, `another copy of session ${sessionId}, read from ${known.path}`);
    return;
  }
  const extra = extras.get(sessionId);
  const files = extra ? [stat, ...extra.files, ...(extra.title ? [extra.title] : [])] : [stat];
  const locator: ClaudeLocator = {
    subagents: extra ? extra.files.map((file) => file.path) : [],
    ...(extra?.title ? { titleSidecar: extra.title.path } : {}),
  };
  sessions.set(sessionId, new ListedSource({ sessionId, path: stat.path, files, locator }));
}

function listExtras(directory: string, onProblem: (path: string, reason: string) => void, look: Looking): Extras {
  const files = filesBelow(`${directory}/subagents`, isTranscript, onProblem, look);
  if (files.length > 1) files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const title = fileStat(`${directory}/custom-title.json`);
  return title ? { files, title } : { files };
}

/** Always enough for the first chain record of a sub-agent's transcript or of a renamed copy; less is, mostly. */
const PEEK_BYTES = 16 * 1024;
const peek = Buffer.allocUnsafe(1024);

function sessionIdInside(path: string): string | undefined {
  noteOpened(path);
  try {
    const id = idAtOnce(beginningOf(path));
    if (id !== undefined) return id;
    for (const line of readHeadAndTail(path, PEEK_BYTES, 0).head) {
      const inside = asText(parseRecord(line)?.["sessionId"]);
      if (inside !== undefined) return inside;
    }
  } catch {
    // Unreadable now; the caller treats it as a file that tells nothing.
  }
  return undefined;
}

/** Valid until the next one. */
function beginningOf(path: string): Buffer {
  const fd = openSync(path, "r");
  try {
    return peek.subarray(0, readSync(fd, peek, 0, peek.length, 0));
  } finally {
    closeSync(fd);
  }
}

const SESSION_KEY = Buffer.from('"sessionId":"');

/** The first line's id where it can be seen without parsing: before anything in it is nested, and without escapes. */
function idAtOnce(line: Buffer): string | undefined {
  const key = line.indexOf(SESSION_KEY);
  if (
    key === -1 ||
    line.subarray(0, key).includes(LINE_FEED) ||
    line[0] !== OPENING ||
    line.subarray(1, key).includes(OPENING)
  )
    return undefined;
  const start = key + SESSION_KEY.length;
  const id = line.toString("latin1", start, start + 36);
  return UUID.test(id) && line[start + 36] === QUOTE ? id : undefined;
}

const LINE_FEED = 0x0a;
const OPENING = 0x7b;
const QUOTE = 0x22;
