/**
 * Finding sessions from names alone. One session is `<id>.jsonl` plus, since 2.1, a directory `<id>/` with its
 * sub-agents' transcripts; versions 2.0.28 to 2.0.77 put sub-agents beside the sessions as `agent-<hex>.jsonl`, and
 * only their records tell whose they are.
 */
import type { Dirent } from "node:fs";
import { join } from "node:path";
import {
  entriesOf,
  fileStat,
  ListedFile,
  filesBelow,
  isDirectoryAt,
  lookAtOnce,
  lookLater,
  noteOpened,
  type FileStat,
  type Looking,
  type OnProblem,
} from "../../lib/directory.ts";
import { mayBeUndecoded } from "../../lib/undecoded-name.ts";
import { parseRecord, readHeadAndTail } from "../../lib/jsonl.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { lastChange } from "../shared/source-list.ts";
import { sessionOf } from "./format.ts";
import { encodeCwd, projectsDirs } from "./places.ts";

/** What lies beside a session's own file. */
export interface ClaudeLocator {
  /** Its sub-agents' transcripts. */
  readonly subagents: string[];
  /** The title it was given. */
  readonly titleSidecar?: string | undefined;
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
  const sessions = new Map<string, ClaudeSource>();
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

function listProject(directory: string, sessions: Map<string, ClaudeSource>, notes: ReadNotes, look: Looking): void {
  const onProblem: OnProblem = (path, reason) => notes.skip(path, reason);
  const oldSubagents: FileStat[] = [];
  const folders: string[] = [];
  const extras = new ProjectExtras({ directory, oldSubagents, sessions, notes, look });
  const found: ClaudeSource[] = [];
  for (const entry of entriesOf(directory, onProblem)) {
    const { name } = entry;
    if (name.endsWith(".jsonl")) {
      const path = `${directory}/${name}`;
      const isOld = isOldSubagent(name);
      // What is looked at later need not be known before.
      const isLater = look === lookLater && entry.isFile() && !isOld && !mayBeUndecoded(name);
      const stat = isLater ? undefined : look(path, entry.isFile(), onProblem);
      if (isOld && stat) oldSubagents.push(stat);
      else if (!isOld && (isLater || stat)) {
        const source = addSession(name, path, stat, extras, sessions, notes);
        if (source) found.push(source);
      }
    } else if (entry.isDirectory() && UUID.test(name)) folders.push(name);
  }
  for (const id of folders) {
    const owner = sessions.get(id);
    if (owner === undefined) extras.noteLost(id);
    else owner.giveFolder(extras);
  }
  if (look === lookLater) return;
  for (const source of found) void source.files;
  extras.seeOldSubagents();
}

/** `stat`: of its file, unless it is to be looked at later. */
function addSession(
  name: string,
  path: string,
  stat: FileStat | undefined,
  extras: ProjectExtras,
  sessions: Map<string, ClaudeSource>,
  notes: ReadNotes,
): ClaudeSource | undefined {
  let sessionId = name.slice(0, -".jsonl".length);
  if (!UUID.test(sessionId)) {
    // A copy somebody made, or the documented short id: the records decide.
    const inside = sessionIdInside(path);
    if (inside !== undefined && UUID.test(inside)) sessionId = inside;
  }
  const known = sessions.get(sessionId);
  if (known !== undefined) {
    notes.skip(path, `another copy of session ${sessionId}, read from ${known.path}`);
    return undefined;
  }
  const source = new ClaudeSource(sessionId, path, stat, extras);
  sessions.set(sessionId, source);
  return source;
}

const NO_FILES: readonly never[] = [];

/** What lies beside the sessions of a project. Looked at when first asked for: a list of titles needs hardly any of it. */
class ProjectExtras {
  readonly #project: Project;
  #owned: Map<string, FileStat[]> | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  /** Transcripts of a session's sub-agents. */
  subagents(sessionId: string, hasFolder: boolean): readonly FileStat[] {
    const { directory, look } = this.#project;
    const old = (this.hasOld && this.#oldSubagents.get(sessionId)) || NO_FILES;
    if (!hasFolder) return old;
    const files = filesBelow(`${directory}/${sessionId}/subagents`, isTranscript, this.#onProblem, look);
    if (files.length > 1) files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return old.length === 0 ? files : [...files, ...old];
  }

  /** The file with the title it was given. */
  title(sessionId: string): FileStat | undefined {
    return fileStat(`${this.#project.directory}/${sessionId}/custom-title.json`);
  }

  /** Whether some session has sub-agents beside it. */
  get hasOld(): boolean {
    return this.#project.oldSubagents.length > 0;
  }

  /** Finds out whose they are, and tells of those that are nobody's. */
  seeOldSubagents(): void {
    void this.#oldSubagents;
  }

  /** Of a session whose directory is all that is left. */
  noteLost(sessionId: string): void {
    this.#noteLost(this.subagents(sessionId, true));
  }

  #noteLost([first]: readonly FileStat[]): void {
    if (first) this.#onProblem(first.path, "sub-agent transcript of a session whose own file is gone");
  }

  get #oldSubagents(): Map<string, FileStat[]> {
    if (this.#owned) return this.#owned;
    this.#owned = new Map();
    for (const file of this.#project.oldSubagents) {
      const owner = sessionIdInside(file.path);
      if (owner === undefined) this.#onProblem(file.path, "sub-agent transcript that names no session");
      else {
        const files = this.#owned.get(owner);
        if (files) files.push(file);
        else this.#owned.set(owner, [file]);
      }
    }
    for (const [owner, files] of this.#owned) if (!this.#project.sessions.has(owner)) this.#noteLost(files);
    return this.#owned;
  }

  readonly #onProblem: OnProblem = (path, reason) => this.#project.notes.skip(path, reason);
}

interface Project {
  directory: string;
  oldSubagents: readonly FileStat[];
  /** Of this project and those that were listed before. */
  sessions: ReadonlyMap<string, SessionSource>;
  notes: ReadNotes;
  look: Looking;
}

/** Thousands of them are made for lists that ask for hardly more than the path. */
class ClaudeSource implements SessionSource {
  readonly sessionId: string;
  readonly path: string;
  readonly #extras: ProjectExtras;
  #stat: FileStat | undefined;
  readonly #found: FoundBeside = {};
  /** It has a directory of its own; hardly any has. */
  #hasFolder = false;

  constructor(sessionId: string, path: string, stat: FileStat | undefined, extras: ProjectExtras) {
    this.sessionId = sessionId;
    this.path = path;
    this.#stat = stat;
    this.#extras = extras;
  }

  /** Not one of another project, whose sessions are another copy. */
  giveFolder(extras: ProjectExtras): void {
    if (this.#extras === extras) this.#hasFolder = true;
  }

  get #own(): FileStat {
    this.#stat ??= new ListedFile(this.path);
    return this.#stat;
  }

  get files(): readonly FileStat[] {
    this.#found.files ??= [this.#own, ...this.#helpers, ...(this.#given ? [this.#given] : [])];
    return this.#found.files;
  }

  get updatedMs(): number {
    return lastChange(this.files);
  }

  get locator(): ClaudeLocator {
    this.#found.locator ??= new LazyLocator(
      () => this.#helpers,
      () => this.#given,
    );
    return this.#found.locator;
  }

  get titlePath(): string | undefined {
    return this.#given?.path;
  }

  get #helpers(): readonly FileStat[] {
    if (!this.#hasFolder && !this.#extras.hasOld) return NO_FILES;
    this.#found.subagents ??= this.#extras.subagents(this.sessionId, this.#hasFolder);
    return this.#found.subagents;
  }

  get #given(): FileStat | undefined {
    if (!this.#hasFolder) return undefined;
    if (this.#found.title === undefined) this.#found.title = this.#extras.title(this.sessionId) ?? null;
    return this.#found.title ?? undefined;
  }
}

/** What was looked for beside a session's own file. */
interface FoundBeside {
  subagents?: readonly FileStat[];
  title?: FileStat | null;
  files?: readonly FileStat[];
  locator?: ClaudeLocator;
}

/** Its values are found out when asked for. */
class LazyLocator implements ClaudeLocator {
  readonly #helpers: () => readonly FileStat[];
  readonly #given: () => FileStat | undefined;

  constructor(helpers: () => readonly FileStat[], given: () => FileStat | undefined) {
    this.#helpers = helpers;
    this.#given = given;
  }

  get subagents(): string[] {
    return this.#helpers().map((file) => file.path);
  }

  get titleSidecar(): string | undefined {
    return this.#given()?.path;
  }

  toJSON(): ClaudeLocator {
    return { subagents: this.subagents, titleSidecar: this.titleSidecar };
  }
}

/** The file with the title a session was given, if there is one. */
export function titleSidecarOf(source: SessionSource): string | undefined {
  if (source instanceof ClaudeSource) return source.titlePath;
  return (source.locator as ClaudeLocator | undefined)?.titleSidecar;
}

/** Always enough for the first chain record of a sub-agent's transcript or of a renamed copy; less is, mostly. */
const PEEK_BYTES = 16 * 1024;

function sessionIdInside(path: string): string | undefined {
  noteOpened(path);
  try {
    for (const line of readHeadAndTail(path, PEEK_BYTES, 0).head) {
      const record = parseRecord(line);
      const inside = record && sessionOf(record);
      if (inside !== undefined) return inside;
    }
  } catch {
    // Unreadable now; the caller treats it as a file that tells nothing.
  }
  return undefined;
}
