/**
 * The contract between amux and one agent. Everything about the machine comes in through `AgentEnv`, so that tests can point it
 * anywhere. Reading is synchronous: listing thousands of small files with promises costs four times the CPU.
 */
import type { TokenCounts } from "../core/cost.ts";
import type { SessionMessage, SubagentTranscript } from "../core/session.ts";
import type { FileStat } from "../lib/fs/directory.ts";
import type { AgentEnv } from "./agent-env.ts";
import type { GrowthPoint } from "./growth-point.ts";
import type { ReadNotes } from "./read-notes.ts";
import type { RunSupport } from "./run-support.ts";
import type { StatusHooks } from "./status-hooks.ts";
import type { SessionTexts } from "./text-message.ts";

export type { AgentEnv } from "./agent-env.ts";
export type { GrowthPoint } from "./growth-point.ts";

export interface AgentAdapter {
  /** Folder name, id prefix, what users type. */
  readonly name: string;
  readonly displayName: string;
  /** The program, looked up on PATH. */
  readonly command: string;
  readonly capabilities: AgentCapabilities;
  readonly history?: History;
  readonly launch?: Launch;
  /** How it is started without a terminal; absent: it cannot be. */
  readonly run?: RunSupport;
  /** How it tells what it is doing; absent: only its terminal and its files do. */
  readonly hooks?: StatusHooks;
  /** Why there are none, for an agent that has an interface for it which is of no use here. */
  readonly whyNoHooks?: string;
}

export interface AgentCapabilities {
  canResume: boolean;
  canFork: boolean;
  sessionPersistence: "file" | "sqlite" | "none" | "in-memory";
}

/**
 * Command lines for an interactive start on an existing session; arrays, never shell strings. Undefined: this session
 * cannot be started so.
 */
export interface Launch {
  resume?(sessionId: string, source: SessionSource): string[] | undefined;
  fork?(sessionId: string, source: SessionSource): string[] | undefined;
  /** How it goes on from a message: with a copy that is made for it, */
  forkAt?: ForkAt;
  /** or with one that it makes itself. */
  forkByAsking?: ForkByAsking;
  /** Why it cannot, for a person to read; a whole sentence. */
  whyNoForkAt?: string;
}

/**
 * How a copy of a session that ends at a message becomes a session of the program's own. The session itself is never
 * written to: the copy is a new file.
 */
export interface ForkAt {
  /** A new id, for a copy that has to have one before the program sees it. */
  newId?(): string;
  /** What the file is called where it is only handed over; as the original when left out. */
  fileName?(source: SessionSource): string;
  /**
   * Where in the agent's store the copy lies, for a program that opens only what is there. Absent: in a folder of ours,
   * and the program makes a copy of its own of it.
   */
  place?(source: SessionSource, copy: { id: string; at: Date }, env: AgentEnv): string;
  /** Has the program take the file into its store; done before `open`. */
  load?(file: string): string[];
  open(copy: { id: string; file: string }): string[];
}

/** A program that copies its sessions itself when it is asked to: up to a prompt, or all of one. */
export interface ForkByAsking {
  /** What asks it, and which field of the JSON it prints names the copy. `prompt` is left out with all after it. */
  ask(source: SessionSource, prompt: string | undefined): { command: string[]; field: string } | undefined;
  open(source: SessionSource, copy: string): string[];
}

export interface History {
  /** Directories and databases that may hold sessions, whether they exist or not; for watchers and `doctor`. */
  roots(env: AgentEnv): string[];
  /** Where sessions (of a working directory, if the agent keeps them apart) are stored today. */
  sessionDir(env: AgentEnv, cwd?: string): string;
  /**
   * Every session in the store, each once, from names and stats or one query; file contents are not read.
   * `cwd` may be used to look at fewer places; the caller filters again.
   */
  listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[];
  /**
   * Set when `listSessions` depends on nothing but what it looks at through lib/fs/directory.ts (`recordingReads`): as long as none
   * of that changes it need not be done again.
   */
  readonly isWitnessed?: true;
  /** Title, dates, model, directory from the head and the tail of the file only. Undefined: no session in there. */
  summarize(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionHead | undefined;
  /**
   * Opens a session for reading in full. Undefined: no conversation in there.
   * Throws AgentMuxError PARSE_ERROR only when nothing at all can be read.
   * For `text`, only what was said is asked for: its head and its usage need not be exact.
   */
  read(source: SessionSource, env: AgentEnv, notes: ReadNotes, what?: "all" | "text"): SessionReader | undefined;
  /**
   * Only what the session is billed for, for whoever adds up thousands of them: most of a transcript need not be looked at
   * for that. Undefined when it cannot be had so, or there may be nothing: then the session is read. The same as that as
   * far as it goes.
   */
  bill?(source: SessionSource, env: AgentEnv, notes: ReadNotes): BilledSession | undefined;
  /**
   * Parents of forks that carry no pointer to them. Gets sessions that share a `familyKeys` entry;
   * answers child session id -> parent session id.
   */
  lineage?(family: readonly { source: SessionSource; head: SessionHead }[], env: AgentEnv): Map<string, string>;
  /** What an index of messages needs to follow files that grow. Absent: a session that changed is read anew. */
  readonly indexed?: IndexedReading;
  /** The agent's own full-text index. */
  readonly search?: OwnSearch;
  /** Set when a search may look at the bytes of a session's files and pass over those that cannot hold what it seeks. */
  readonly bytes?: ByteSearch;
}

/** Messages with where they lie in the session's files. */
export interface IndexedReading {
  /**
   * The same messages as `read` with "text" gives, with where they lie in the files. Undefined when it has to be read.
   */
  texts(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionTexts | undefined;
  /**
   * Messages that begin at the places a `Spot` of `texts` told, in a file that has not changed since; `end`: where the next
   * message begins. The first ones are those that were told, with what is said in them; what tool they are the output of, and
   * what they cost, need not be known.
   */
  rebuild(source: SessionSource, file: Buffer, starts: readonly number[], end: number, state: number): SessionMessage[];
  /**
   * Goes on reading a session whose own file has grown, from a point a reader gave when it was shorter. Undefined: what was
   * added changes what came before, or it cannot be told.
   */
  readOn(source: SessionSource, point: GrowthPoint, notes: ReadNotes): GrownReader | undefined;
}

/** Search in the agent's own index. The text is what the user typed; quoting it is the adapter's job. */
export interface OwnSearch {
  sessions(env: AgentEnv, text: string, limit: number, notes: ReadNotes): NativeSearchHit[];
  /** The same in what the agent keeps outside of conversations. */
  notes?(env: AgentEnv, text: string, limit: number, notes: ReadNotes): NativeSearchHit[];
  /** What a hit of these says in full, by the id it was given. */
  note?(id: string, env: AgentEnv, notes: ReadNotes): MemoryNote | undefined;
}

/** What must be known to look for words in the bytes of a session's files instead of reading it. */
export interface ByteSearch {
  /** Files that hold the session's texts as JSON, told without opening any. Undefined: this one must be read. */
  files(source: SessionSource): readonly string[] | undefined;
  /** Text of the session that is in none of them. */
  text?(source: SessionSource): string;
  /** Words the reader puts in by itself. */
  readonly ownWords?: string;
  /** For a conversation that begins in another session's files: bytes in the first line that say so, and whose they are. */
  readonly origin?: { readonly mark: string; sessionId(header: Record<string, unknown>): string | undefined };
  /** How a file begins that holds titles of other sessions. */
  readonly foreignTitles?: string;
}

/** Where one session lies. Plain data: it can cross a thread and be compared with a cached one. */
export interface SessionSource {
  readonly sessionId: string;
  /** The file or database an error message should name. */
  readonly path: string;
  /** All files whose change can change this session (sub-agents' files and the database's -wal included). */
  readonly files: readonly FileStat[];
  /** Last change, as far as it is known without opening the file. */
  readonly updatedMs: number;
  /** What the adapter wants back in `summarize` and `read`; nobody else looks at it. */
  readonly locator?: unknown;
  /**
   * What is told of the session in files that are none of these, or that many depend on: what was kept of it holds while that is the
   * same, too. Not for a store that is witnessed.
   */
  readonly elsewhere?: string;
}

export interface SessionHead {
  title: string;
  createdMs?: number;
  updatedMs?: number;
  model?: string;
  cwd?: string;
  branch?: string;
  agentVersion?: string;
  archived?: boolean;
  /** Session this one was forked, branched or resumed (by copy) from. */
  forkedFrom?: string;
  /** Session whose sub-agent wrote this one. */
  parentId?: string;
  /**
   * Ids of early records that copies of this session share. Two sessions with a common key may hold the
   * same billed requests and are priced together.
   */
  familyKeys?: string[];
  /** When this file itself was begun, for deciding which of two copies is the original. */
  startedMs?: number;
  /** Set while `title` is only the first prompt: ids under which another session's file may hold a better one. */
  titleKeys?: string[];
  /** Titles this file holds for other sessions, by such an id. */
  titlesForOthers?: Record<string, string>;
  /** The agent wrote no token counts: the cost is unknown, not zero. */
  usageUnknown?: boolean;
  /** Found out by looking into other sessions' files: it may change although this session does not. */
  volatile?: boolean;
}

export interface SessionReader {
  /** Exact, after the whole session was looked at. */
  readonly head: SessionHead;
  readonly origins?: SessionOrigins;
  /** In order. May be called more than once; each call reads anew. */
  messages(): Iterable<SessionMessage>;
  /** What was said beside them: on branches that were left, or before the conversation was begun anew. */
  aside?(): { count: number; messages(): Iterable<SessionMessage> };
  /** Of `messages()`, where it can be told without building them. */
  counts?(): { messageCount: number; turnCount: number };
  usage(): Iterable<UsageRecord>;
  /** Dollar totals the agent wrote for the session as a whole, latest last. */
  reportedTotals?(): ReportedTotal[];
  /** As in a session's bill. */
  readonly placed?: true;
  subagents?(): SubagentTranscript[];
  /** From where on it would have to be read if it grew. Undefined: from the beginning. */
  growthPoint?(): GrowthPoint | undefined;
  /** The native records, for `Session.raw`. */
  raw(): unknown;
  /**
   * The text of a file that is this session up to a message and no further, for `Launch.forkAt`. Undefined: this session
   * cannot be copied so.
   */
  copyUpTo?(last: number, copy: { id: string; at: Date }): Iterable<string> | undefined;
  /** What the agent calls the prompt that follows a message, for `Launch.forkByAsking`. Undefined: none follows it. */
  promptAfter?(last: number): string | undefined;
}

/** A session from such a point on. */
export interface GrownReader {
  messages(): Iterable<SessionMessage>;
  /** Counts messages from there on, too. */
  growthPoint?(): GrowthPoint | undefined;
}

/** Files of other sessions that a session's conversation begins in: if they change, it may change. */
export interface SessionOrigins {
  files: string[];
  /** One of them was not found. */
  incomplete?: boolean;
}

/** What a session's requests are settled with. */
export interface SessionBill {
  /** Of one that was not counted, only what decides whose a request is, and where it was made. */
  head: SessionHead;
  origins?: SessionOrigins;
  reportedTotals?: ReportedTotal[];
  /** Requests say themselves where they were made: the session's directory and branch are not theirs. */
  placed?: true;
}

/** A session's requests; its counts as well, if it was counted. */
export interface BilledSession extends SessionBill {
  usage: UsageRecord[];
  messageCount?: number;
  /** User messages that were answered. */
  turnCount?: number;
}

export interface SessionTally extends BilledSession {
  messageCount: number;
  turnCount: number;
}

/** One billed request. */
export interface UsageRecord {
  /** Identity of the request; the same key in two sessions of an agent is one request. */
  key: string;
  at?: number;
  model?: string;
  tokens: TokenCounts;
  /** Dollars the agent wrote for this request, times 1e6, not rounded. */
  reportedMicroUsd?: number;
  /** The final usage was never written: tokens are at least these. */
  lowerBound?: boolean;
  /** The agent wrote no token counts for this request. */
  unknown?: boolean;
  /** A copy of a request another session made (fork, resume by copy, replay). */
  copied?: boolean;
  /** Id of the sub-agent that made it. */
  subagent?: string;
  /** Where it was made, when the records tell it request by request; else the session's is taken. */
  cwd?: string;
  branch?: string;
  /** Price multipliers that apply, e.g. `fast`, `priority`, `geo:us`. */
  modifiers?: string[];
  webSearches?: number;
}

/** A running total the agent wrote for a session. It covers all usage records before it. */
export interface ReportedTotal {
  at?: number;
  /** Usage records of this session (in the order of `usage()`) it covers. */
  covers: number;
  /** Micro-dollars by model. */
  byModel: Record<string, number>;
}

/** Something an agent remembers; it is found and read like a session that consists of it, and never listed. */
export interface MemoryNote {
  path: string;
  text: string;
  updatedMs: number;
}

export interface NativeSearchHit {
  sessionId: string;
  /** Higher is better; only comparable within one answer. */
  score: number;
  snippet?: string;
  messageIndex?: number;
  /** A hit outside any conversation, such as the agent's own memory notes. */
  memory?: boolean;
}

export function defineAgent<const A extends AgentAdapter>(adapter: A): A {
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

/** A file in an agent's store can have any name: an id that the program would read as an option is not handed to it. */
function withoutOptions(command: NonNullable<Launch["resume"]>): NonNullable<Launch["resume"]> {
  return (sessionId, source) => {
    const argv = command(sessionId, source);
    const place = argv?.indexOf(sessionId) ?? -1;
    return sessionId.startsWith("-") && place !== -1 && argv![place - 1] !== "--" ? undefined : argv;
  };
}
