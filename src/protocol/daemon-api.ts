/**
 * What the daemon's HTTP interface takes and gives. Every answer is `{ok: true, data}` or `{ok: false, error: {code,
 * message}}`. Wire names are snake_case; answers about past sessions are the library's own objects and keep their names.
 */
import * as z from "zod/mini";
import { MAX_COLS, MAX_ROWS, MIN_COLS, MIN_ROWS } from "./frames.ts";
import { STATES } from "../core/state.ts";
import { PeerName } from "./peers.ts";
import { Offer } from "./status.ts";

/** The HTTP status that goes with each code. */
export const ERROR_STATUS = {
  bad_request: 400,
  unauthorized: 401,
  cross_origin: 403,
  bad_host: 403,
  local_only: 403,
  not_found: 404,
  unknown_peer: 404,
  method_not_allowed: 405,
  timeout: 408,
  not_resumable: 409,
  not_running: 409,
  cwd_gone: 409,
  result_changed: 409,
  not_waiting: 409,
  incarnation_mismatch: 409,
  invalid_state: 409,
  too_large: 413,
  unsupported_type: 415,
  no_idle_signal: 422,
  not_possible: 422,
  no_conversation: 422,
  internal: 500,
  launch_failed: 500,
  peer_too_old: 501,
  runner_unreachable: 502,
  peer_unreachable: 502,
  out_of_files: 503,
  kill_timeout: 504,
  disk_full: 507,
} as const;
export type DaemonErrorCode = keyof typeof ERROR_STATUS;

/** What a connection to `/frames/{id}` is upgraded to: the frames a runner speaks on its own socket. */
export const FRAMES_PROTOCOL = "amux-frames";

export type Envelope<Data> =
  | { ok: true; data: Data }
  | { ok: false; error: { code: DaemonErrorCode; message: string } };

const Text = z.string().check(z.maxLength(4096));

/** What Linux takes for one argument or variable, with the closing NUL: agents take prompts as an argument. */
const MAX_WORD_BYTES = 128 * 1024 - 1;

/** Of all words together: a session's row carries its command to everyone who looks. */
const MAX_COMMAND_BYTES = 192 * 1024;

/** What a launch may weigh: each of its words may be written with escapes. */
export const MAX_LAUNCH_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

function bytesOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + encoder.encode(word).length, 0);
}

/** What a system call takes for a whole: it would stop at the first NUL, and run something else than was shown. */
const Word = z.string().check(
  z.maxLength(MAX_WORD_BYTES),
  z.refine((text) => bytesOf([text]) <= MAX_WORD_BYTES, `is longer than ${MAX_WORD_BYTES} bytes`),
  z.refine((text) => !text.includes("\0"), "has a NUL in it"),
);
const Path = Word.check(z.maxLength(4096));
const Words = z.array(Word).check(
  z.maxLength(256),
  z.refine((words) => bytesOf(words) <= MAX_COMMAND_BYTES, `is longer than ${MAX_COMMAND_BYTES} bytes in all`),
);
const Command = Words.check(
  z.minLength(1),
  z.refine(([program]) => program !== "", "names no program"),
);

export const Health = z.object({
  service: z.literal("amuxd"),
  version: z.string(),
  status: z.literal("ok"),
  pid: z.int(),
  started_at: z.string(),
  hostname: z.string(),
  /** Where it can be reached over TCP; absent when that was turned off. */
  listen: z.optional(z.string()),
  /** Other names it answers to, as somebody gave them. */
  hosts: z.optional(z.array(z.string())),
  /** Of the runner that new sessions get. */
  runner_hash: z.optional(z.string()),
  sessions: z.object({ alive: z.int(), dead: z.int() }),
});
export type Health = z.infer<typeof Health>;

export const Capabilities = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      display_name: z.string(),
      installed: z.boolean(),
      can_resume: z.boolean(),
      can_fork: z.boolean(),
      /** Whether a copy can end at a message. Absent in answers of older daemons. */
      can_fork_at: z.optional(z.boolean()),
      /** Why not, as a sentence. */
      why_no_fork_at: z.optional(z.string()),
    }),
  ),
  transport: z.object({ kind: z.literal("websocket"), replay: z.boolean() }),
});
export type Capabilities = z.infer<typeof Capabilities>;

export const RegisterRequest = z.object({ session_id: Text, socket_path: z.optional(Text) });

export const DeregisterRequest = z.object({ session_id: Text });

/** A new worktree of the repository that `cwd` is in. */
export const WorktreeRequest = z.object({
  /** Made if there is none of this name; one is chosen when left out. */
  branch: z.optional(z.string().check(z.regex(/^[^-\s~^:?*[\\][^\s~^:?*[\\]*$/), z.maxLength(200))),
  /** Where a new branch begins; `HEAD` when left out. */
  base: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type WorktreeRequest = z.infer<typeof WorktreeRequest>;

export const LaunchRequest = z.object({
  /** Starts the agent's own program; `args` follow it. */
  agent: z.optional(Text),
  args: z.optional(Words),
  /** Any program; the user's shell when neither is given. */
  command: z.optional(Command),
  /** The home directory unless given; `~` is understood. */
  cwd: z.optional(Path),
  worktree: z.optional(WorktreeRequest),
  name: z.optional(z.string().check(z.maxLength(200))),
  /** On top of a fresh login environment. */
  env: z.optional(z.record(z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)), Word)),
  /** On another machine. */
  peer: z.optional(PeerName),
  cols: z.optional(z.int().check(z.gte(MIN_COLS), z.lte(MAX_COLS))),
  rows: z.optional(z.int().check(z.gte(MIN_ROWS), z.lte(MAX_ROWS))),
});
export type LaunchRequest = z.infer<typeof LaunchRequest>;

export const Started = z.object({
  session_id: z.string(),
  pid: z.int(),
  /** Of a fork at a message: the last one it has, counted from 0. It may be another than the one asked for. */
  last_message: z.optional(z.int()),
  /** Which conversation was the session's, nobody had told: it was concluded, and may be another one. */
  guessed: z.optional(z.boolean()),
});
export type Started = z.infer<typeof Started>;

export const OpenRequest = z.object({
  /** Instead of the conversation's own directory. */
  cwd: z.optional(Text),
  /**
   * Of a fork: where it goes on from, counted from 0; at the end when left out. An answer takes the results of what it called
   * along; a prompt is left out, so that something else can be asked in its place.
   */
  message: z.optional(z.int().check(z.gte(0))),
});

export const Pasted = z.object({
  /** Where the session's program finds it. */
  path: z.string(),
});

/** One more terminal in a live session. */
export const TerminalRequest = z.object({
  /** The user's shell when left out. */
  command: z.optional(Command),
  cols: z.optional(z.int().check(z.gte(MIN_COLS), z.lte(MAX_COLS))),
  rows: z.optional(z.int().check(z.gte(MIN_ROWS), z.lte(MAX_ROWS))),
});
export type TerminalRequest = z.infer<typeof TerminalRequest>;

export const AnswerRequest = z.object({
  /** `allow` or `deny`, an option by its number or its words, or what the agent is told. */
  answer: z.string().check(z.minLength(1), z.maxLength(100_000)),
  /** The question it is for, as `/v1/attention` names it: refused when another one is asked by now. */
  asked: z.optional(z.string().check(z.maxLength(100))),
});

export const SnoozeRequest = z.object({
  seconds: z.optional(z.number().check(z.gt(0), z.lte(30 * 86_400))),
});

export const MessageRequest = z.object({
  text: z.string().check(z.maxLength(1_000_000)),
  /** Types although the session asks something: Enter may then answer it. */
  force: z.optional(z.boolean()),
});

/** How an answer or a message was delivered. */
export const Receipt = z.object({
  via: z.enum(["hook", "typed"]),
  /** Taken; kept by the agent until its turn is over; or not seen to be taken. */
  receipt: z.enum(["delivered", "queued", "not_taken"]),
  /** Whether it was seen to be taken. */
  confirmed: z.boolean(),
  /** The option that was taken. */
  option: z.optional(z.string()),
  state: z.optional(z.enum(STATES)),
});
export type Receipt = z.infer<typeof Receipt>;

export const Waited = z.object({ reason: z.enum(["idle", "died"]), exit_code: z.optional(z.int()) });
export type Waited = z.infer<typeof Waited>;

/** Who waits for the user, for what and since when. */
export const AttentionItem = z.object({
  /** Of a session in tmux, its name there. */
  session_id: z.string(),
  /** Set for a session that is not one of amux: known by its status file, and answered where it is. */
  place: z.optional(z.literal("tmux")),
  /** The machine it is on, by the name it has here. Absent means this one. */
  peer: z.optional(z.string()),
  title: z.string(),
  agent: z.string(),
  /** The team member who asks, when it is not the agent itself. */
  member: z.optional(z.string()),
  reason: z.enum(["permission", "question", "error", "finished"]),
  /** What is asked, or what went wrong, or the last words. */
  text: z.optional(z.string()),
  since: z.string(),
  cwd: z.string(),
  /** Who says so: a hook, the program itself, … */
  source: z.optional(z.string()),
  /** Names what is asked now: an answer can carry it. */
  asked: z.optional(z.string()),
  ...Offer,
});
export type AttentionItem = z.infer<typeof AttentionItem>;

export const SessionDetails = z.object({
  id: z.string(),
  /** `<agent>:<native id>` of the conversation in the agent's own store. */
  unified_id: z.optional(z.string()),
  /** Where the conversation lies, whether the agent said so or it was concluded, and from what. */
  conversation: z.optional(
    z.object({
      path: z.optional(z.string()),
      how: z.enum(["told", "guessed"]),
      by: z.enum(["hook", "launch", "command", "directory", "screen"]),
    }),
  ),
  unread_token: z.optional(z.int()),
  /** Names the process: input can be sent to this one and no other. */
  incarnation: z.optional(z.string()),
  runner_pid: z.optional(z.int()),
  /** What it is doing, since when, and which report says so. */
  state: z.optional(z.looseObject({ state: z.string(), since: z.string() })),
  /** The latest report of every source. */
  reports: z.optional(z.array(z.looseObject({ state: z.string(), source: z.string() }))),
  terminals: z.optional(z.array(z.looseObject({ id: z.string() }))),
  runner_version: z.optional(z.string()),
  last_activity_at: z.optional(z.string()),
  git: z.optional(
    z.looseObject({
      branch: z.string(),
      dirty: z.boolean(),
      ahead: z.number(),
      behind: z.number(),
      /** Abbreviated hash and subject. */
      last_commit: z.string(),
      remote: z.string(),
      pr_num: z.optional(z.number()),
      /** Unix seconds. */
      fetched_at: z.number(),
    }),
  ),
  /** Of the program and all it started. */
  usage: z.optional(z.object({ processes: z.int(), rss_bytes: z.number(), cpu_seconds: z.number() })),
  /** What its conversation has used so far; `input` is everything that went in, caches included. */
  tokens: z.optional(z.object({ input: z.number(), output: z.number(), total: z.number() })),
  /** The same in the ledger's words, with what it cost. */
  cost: z.optional(
    z.looseObject({
      totalUsd: z.number(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      kind: z.optional(z.enum(["reported", "computed", "lower-bound", "unpriced", "unknown"])),
    }),
  ),
  /** Time in states and tools used, as its hooks counted them. */
  metrics: z.optional(
    z.object({
      /** Unix seconds. */
      started: z.number(),
      total_seconds: z.number(),
      working_seconds: z.number(),
      waiting_seconds: z.number(),
      tools: z.record(z.string(), z.number()),
      /** Newest first. */
      recent_tools: z.array(z.string()),
    }),
  ),
  /** From its status file, in that file's spelling: under which name it is kept, and what it says. */
  status_file: z.optional(z.string()),
  status: z.optional(z.string()),
  message: z.optional(z.string()),
  /** Unix seconds. */
  timestamp: z.optional(z.number()),
  team: z.optional(
    z.looseObject({
      name: z.string(),
      agents: z.array(z.looseObject({ name: z.string(), status: z.string(), timestamp: z.number() })),
    }),
  ),
  /** Agents beside the main one, by type. */
  agents: z.optional(z.record(z.string(), z.looseObject({ status: z.string(), timestamp: z.number() }))),
  current_pbi: z.optional(z.string()),
  current_pbi_title: z.optional(z.string()),
});
export type SessionDetails = z.infer<typeof SessionDetails>;

/** Told by `GET /v1/events` when a conversation has grown: who shows it asks for what follows what it has. */
export interface ConversationUpdate {
  type: "conversation-update";
  unified_id: string;
  /** The machine it is on; absent for this one. */
  peer?: string;
}

/** How many sessions have one value of what they can be narrowed by. */
const Facet = z.object({ key: z.string(), count: z.int() });
export type Facet = z.infer<typeof Facet>;

/** Told by `GET /v1/history/facets`; the most frequent first, days newest first. */
export const Facets = z.object({
  total: z.int(),
  agents: z.array(Facet),
  projects: z.array(Facet),
  models: z.array(Facet),
  days: z.array(Facet),
});
export type Facets = z.infer<typeof Facets>;

/** Told by `GET /v1/overview`. */
export const Overview = z.object({
  since: z.string(),
  time_zone: z.string(),
  /** Days with activity, oldest first. */
  days: z.array(
    z.object({
      day: z.string(),
      sessions: z.int(),
      requests: z.int(),
      usd: z.number(),
      output_tokens: z.int(),
    }),
  ),
  /** Conversations that moved on since then, newest first; the first few hundred. */
  changed: z.array(
    z.object({
      unified_id: z.string(),
      agent: z.string(),
      title: z.string(),
      cwd: z.optional(z.string()),
      created_at: z.string(),
      updated_at: z.string(),
      /** Begun since then. */
      is_new: z.boolean(),
    }),
  ),
  changed_count: z.int(),
  /** The same by directory, with what was spent since then. */
  projects: z.array(z.object({ path: z.string(), sessions: z.int(), usd: z.number(), requests: z.int() })),
  usd: z.number(),
  requests: z.int(),
});
export type Overview = z.infer<typeof Overview>;
