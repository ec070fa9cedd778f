/**
 * The contract between amux and one agent. Adapters see the machine only through `AgentEnv`, so that tests can replace it.
 * Reading is synchronous: with promises, listing thousands of small files costs four times the CPU.
 */
import type { TokenCounts } from "../core/cost.ts";
import type { LimitReading } from "../core/limits.ts";
import type { SessionMessage, SubagentTranscript } from "../core/session.ts";
import type { FileStat } from "../lib/fs/directory.ts";
import type { AgentEnv } from "./agent-env.ts";
import type { ReadNotes } from "./read-notes.ts";
import type { RunSupport } from "./run-support.ts";
import type { StartOptions } from "./start-options.ts";
import type { StatusHooks } from "./status-hooks.ts";

export type { AgentEnv } from "./agent-env.ts";

export interface AgentAdapter {
  /** Folder name, id prefix, and the name users type. */
  readonly name: string;
  readonly displayName: string;
  /** The program, looked up on PATH; empty if amux must not start one. */
  readonly command: string;
  /** Made from the program's published source, without recordings of it. Every list says so, behind the name. */
  readonly isExperimental?: true;
  readonly capabilities: AgentCapabilities;
  readonly history?: History;
  readonly launch?: Launch;
  /** How to run it without a terminal; absent if that is impossible. */
  readonly run?: RunSupport;
  /** How it reports its status; absent if only its terminal and its files show it. */
  readonly hooks?: StatusHooks;
  /** Why there are no hooks, for an agent whose hook interface is of no use here. */
  readonly whyNoHooks?: string;
  /** Directory of its skills, a folder with a `SKILL.md` each: the user's, or that of a project. */
  skills?(env: AgentEnv, project?: string): string;
  /** Usage limits of the account; absent if the agent never reports them. */
  readonly limits?: AgentLimits;
}

export interface AgentLimits {
  /** Limits in the agent's own files, in any order. Absent if only its status line gets them. */
  readings?(env: AgentEnv, now: number): LimitReading[];
  /** When and how they become known, as a whole sentence for the user. */
  readonly unknown: string;
}

export interface AgentCapabilities {
  canResume: boolean;
  canFork: boolean;
  sessionPersistence: "file" | "sqlite" | "none" | "in-memory";
}

/**
 * Command lines for an interactive start on an existing session, as arrays, never shell strings. Undefined if the session cannot
 * be started in this way.
 */
export interface Launch {
  /** What a new session can be given; absent if nothing is known. */
  start?: StartOptions;
  resume?(sessionId: string, source: SessionSource): string[] | undefined;
  fork?(sessionId: string, source: SessionSource): string[] | undefined;
  /** How to fork at a message: with a copy that amux makes, */
  forkAt?: ForkAt;
  /** or with one that the agent makes. */
  forkByAsking?: ForkByAsking;
  /** Why it cannot fork, as a whole sentence for the user. */
  whyNoForkAt?: string;
}

/**
 * How a copy of a session that ends at a message becomes a session of the agent. The copy is a new file; the session itself is
 * never written.
 */
export interface ForkAt {
  /** A new id, for a copy that needs one before the agent sees it. */
  newId?(): string;
  /** Name of a file that is only handed over; default: the original's. */
  fileName?(source: SessionSource): string;
  /**
   * The copy's path in the agent's store, for an agent that opens only files there. Absent: the copy is in our own folder, and
   * the agent copies it.
   */
  place?(source: SessionSource, copy: { id: string; at: Date }, env: AgentEnv): string;
  /** Imports the file into the agent's store; runs before `open`. */
  load?(file: string): string[];
  open(copy: { id: string; file: string }): string[];
}

/** An agent that copies its sessions itself on request: up to a prompt, or in full. */
export interface ForkByAsking {
  /** The request command, and the field of its JSON output that names the copy. `prompt` and everything after it are left out. */
  ask(source: SessionSource, prompt: string | undefined): { command: string[]; field: string } | undefined;
  open(source: SessionSource, copy: string): string[];
}

export interface History {
  /** Directories and databases that may hold sessions, existing or not; for watchers and `doctor`. */
  roots(env: AgentEnv): string[];
  /** Where sessions are stored today (for a working directory, if the agent separates them). */
  sessionDir(env: AgentEnv, cwd?: string): string;
  /**
   * Every session in the store, once, from names and stats or one query, without reading file contents. `cwd` may limit the
   * search; the caller filters again.
   */
  listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[];
  /**
   * Set if `listSessions` depends only on what it reads through lib/fs/directory.ts (`recordingReads`): while that is unchanged,
   * the listing is reused.
   */
  readonly isWitnessed?: true;
  /** Title, dates, model and directory, from the head and the tail of the file only. Undefined if it holds no session. */
  summarize(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionHead | undefined;
  /**
   * Opens a session for reading in full. Undefined if it holds no conversation. Throws AgentMuxError PARSE_ERROR only if nothing
   * can be read. With `text` only the messages' text is needed: head and usage may be inexact.
   */
  read(source: SessionSource, env: AgentEnv, notes: ReadNotes, what?: "all" | "text"): SessionReader | undefined;
  /**
   * Files and directories that belong to a session but are not read: the vault keeps them with it. They need not exist. No shared
   * ones.
   */
  belongings?(source: SessionSource, env: AgentEnv): string[];
  /**
   * Finds parents of forks without a pointer. Takes sessions that share a `familyKeys` entry; returns child session id -> parent
   * session id.
   */
  lineage?(family: readonly { source: SessionSource; head: SessionHead }[], env: AgentEnv): Map<string, string>;
  /** The agent's own full-text index. */
  readonly search?: OwnSearch;
  /** Set if a search may rule out sessions by the bytes of their files. */
  readonly bytes?: ByteSearch;
}

/** Search in the agent's own index. The text is as the user typed it; the adapter quotes it. */
export interface OwnSearch {
  sessions(env: AgentEnv, text: string, limit: number, notes: ReadNotes): NativeSearchHit[];
  /** Search in the agent's notes outside of conversations. */
  notes?(env: AgentEnv, text: string, limit: number, notes: ReadNotes): NativeSearchHit[];
  /** The full text of such a hit, by its id. */
  note?(id: string, env: AgentEnv, notes: ReadNotes): MemoryNote | undefined;
}

/** What a search needs to look for words in the bytes of a session's files. */
export interface ByteSearch {
  /** Files that hold the session's texts as JSON, determined without opening any. Undefined if the session must be read. */
  files(source: SessionSource): readonly string[] | undefined;
  /** Text of the session that is in none of the files. */
  text?(source: SessionSource): string;
  /** Words that the reader adds. */
  readonly ownWords?: string;
  /**
   * For a conversation that begins in another session's files: the bytes in the first line that mark it, and the id of that
   * session.
   */
  readonly origin?: { readonly mark: string; sessionId(header: Record<string, unknown>): string | undefined };
  /** How a file begins that holds titles of other sessions. */
  readonly foreignTitles?: string;
}

/** Where one session is stored. Plain data: it can be sent to a thread and compared with a cached one. */
export interface SessionSource {
  readonly sessionId: string;
  /** The file or database to name in error messages. */
  readonly path: string;
  /** All files that affect this session, including sub-agents' files and the database's -wal. */
  readonly files: readonly FileStat[];
  /** Last change, as known without opening the file. */
  readonly updatedMs: number;
  /** Private data of the adapter, for `summarize` and `read`. */
  readonly locator?: unknown;
  /**
   * Facts about the session from its place, from other files, or from files shared by many: a cached entry is valid only while
   * this is equal. In stores with a recorded listing only from its place.
   */
  readonly elsewhere?: string | undefined;
}

export interface SessionHead {
  title: string;
  createdMs?: number;
  updatedMs?: number;
  model?: string;
  cwd?: string;
  branch?: string;
  /** The repository's commit at the start, if the agent recorded it. */
  commit?: string;
  agentVersion?: string;
  archived?: boolean;
  /** The session that this one was forked, branched or resumed (by copy) from. */
  forkedFrom?: string;
  /** The session whose sub-agent wrote this one. */
  parentId?: string;
  /**
   * Ids of early records that copies of this session share. Sessions with a common key may hold the same billed requests and are
   * priced together.
   */
  familyKeys?: string[];
  /** When this file was begun; decides which of two copies is the original. */
  startedMs?: number;
  /** Set while `title` is only the first prompt: ids under which another session's file may hold a better title. */
  titleKeys?: string[];
  /** Titles that this file holds for other sessions, by such an id. */
  titlesForOthers?: Record<string, string>;
  /** The agent wrote no token counts: the cost is unknown, not zero. */
  usageUnknown?: boolean;
  /**
   * Derived from other sessions' files, so it may change although this session does not: their paths, or true if any file may
   * change it.
   */
  volatile?: true | string[];
}

export interface SessionReader {
  /** Exact, from the whole session. */
  readonly head: SessionHead;
  readonly origins?: SessionOrigins;
  /** In order. Each call reads again. */
  messages(): Iterable<SessionMessage>;
  /** Messages outside the main line: on abandoned branches, or before the conversation was restarted. */
  aside?(): { count: number; messages(): Iterable<SessionMessage> };
  /** Number of `messages()`, if known without building them. */
  counts?(): { messageCount: number; turnCount: number };
  usage(): Iterable<UsageRecord>;
  /** Session totals in dollars that the agent wrote, latest last. */
  reportedTotals?(): ReportedTotal[];
  subagents?(): SubagentTranscript[];
  /** The native records, for `Session.raw`. */
  raw(): unknown;
  /**
   * Contents of a file with this session up to a message, for `Launch.forkAt`. Undefined if this session cannot be copied in this
   * way.
   */
  copyUpTo?(last: number, copy: { id: string; at: Date }): Iterable<string> | undefined;
  /** The agent's id of the prompt after a message, for `Launch.forkByAsking`. Undefined if there is none. */
  promptAfter?(last: number): string | undefined;
}

/** Files of other sessions that a session's conversation begins in. Their change may change it. */
export interface SessionOrigins {
  files: string[];
  /** One of them does not exist. */
  incomplete?: boolean;
}

/** A session's requests and counts. */
export interface SessionTally {
  head: SessionHead;
  origins?: SessionOrigins;
  reportedTotals?: ReportedTotal[];
  usage: UsageRecord[];
  messageCount: number;
  /** User messages that were answered. */
  turnCount: number;
}

/** One billed request. */
export interface UsageRecord {
  /** Identity of the request: the same key in two sessions of an agent is one request. */
  key: string;
  at?: number;
  model?: string;
  tokens: TokenCounts;
  /** Dollars that the agent wrote for this request, times 1e6, not rounded. */
  reportedMicroUsd?: number;
  /** The final usage was never written: the tokens are a lower bound. */
  lowerBound?: boolean;
  /** The agent wrote no token counts for this request. */
  unknown?: boolean;
  /** A copy of a request that another session made (fork, resume by copy, replay). */
  copied?: boolean;
  /** Id of the sub-agent that made it. */
  subagent?: string;
  /** Where it was made, if the records say so per request; default: the session's. */
  cwd?: string;
  branch?: string;
  /** Applicable price multipliers, e.g. `fast`, `priority`, `geo:us`. */
  modifiers?: string[];
  webSearches?: number;
}

/** A running total that the agent wrote for a session. It covers all earlier usage records. */
export interface ReportedTotal {
  at?: number;
  /** Number of usage records of this session (in the order of `usage()`) that it covers. */
  covers: number;
  /** Micro-dollars by model. */
  byModel: Record<string, number>;
}

/** An agent's note outside of conversations. It is searched and read like a session, but never listed. */
export interface MemoryNote {
  path: string;
  text: string;
  updatedMs: number;
}

export interface NativeSearchHit {
  sessionId: string;
  /** Higher is better; comparable only within one answer. */
  score: number;
  snippet?: string;
  messageIndex?: number;
  /** A hit outside any conversation, such as the agent's own memory notes. */
  memory?: boolean;
}

export function defineAgent<const A extends AgentAdapter>(declared: A): A {
  const adapter = declared.isExperimental
    ? { ...declared, displayName: `${declared.displayName} (experimental)` }
    : declared;
  const { launch } = adapter;
  if (launch === undefined) return adapter;
  const { resume, fork } = launch;
  return {
    ...adapter,
    launch: {
      ...launch,
      ...(resume && { resume: withoutOptions(resume.bind(launch)) }),
      ...(fork && { fork: withoutOptions(fork.bind(launch)) }),
    },
  };
}

/** Files in an agent's store can have any name; an id that looks like an option is never passed to the program. */
function withoutOptions(command: NonNullable<Launch["resume"]>): NonNullable<Launch["resume"]> {
  return (sessionId, source) => {
    const argv = command(sessionId, source);
    const place = argv?.indexOf(sessionId) ?? -1;
    return sessionId.startsWith("-") && place !== -1 && argv![place - 1] !== "--" ? undefined : argv;
  };
}
