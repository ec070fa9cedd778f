/**
 * Requests and answers of the daemon's HTTP API, as `{ok: true, data}` or `{ok: false, error: {code, message}}`. Wire names are
 * snake_case; answers about past sessions are the library's own objects.
 */
import * as z from "zod/mini";
import { MAX_COLS, MAX_ROWS, MIN_COLS, MIN_ROWS } from "./frames.ts";
import { PERMISSION_MODES } from "../core/permission-mode.ts";
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

/** Upgrade protocol of `/frames/{id}`: the frames a runner uses on its own socket. */
export const FRAMES_PROTOCOL = "amux-frames";

export type Envelope<Data> =
  | { ok: true; data: Data }
  | { ok: false; error: { code: DaemonErrorCode; message: string } };

const Text = z.string().check(z.maxLength(4096));

/** Linux's limit for one argument or variable, including the NUL: agents take prompts as an argument. */
const MAX_WORD_BYTES = 128 * 1024 - 1;

/** Limit for all words together: a session's row carries its command to every client. */
const MAX_COMMAND_BYTES = 192 * 1024;

/** Limit for a launch request, in which each word may be escaped. */
export const MAX_LAUNCH_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

function bytesOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + encoder.encode(word).length, 0);
}

/** A NUL would end the argument early in a system call and run something other than what was shown. */
const Word = z.string().check(
  z.maxLength(MAX_WORD_BYTES),
  z.refine((text) => bytesOf([text]) <= MAX_WORD_BYTES, `is longer than ${MAX_WORD_BYTES} bytes`),
  z.refine((text) => !text.includes("\0"), "contains a NUL"),
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
  /** TCP address; absent when TCP is off. */
  listen: z.optional(z.string()),
  /** Other host names it answers to, as configured. */
  hosts: z.optional(z.array(z.string())),
  /** Hash of the runner for new sessions. */
  runner_hash: z.optional(z.string()),
  sessions: z.object({ alive: z.int(), dead: z.int() }),
});
export type Health = z.infer<typeof Health>;

export const Capabilities = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      display_name: z.string(),
      /** Made without recordings of the program. */
      experimental: z.optional(z.literal(true)),
      installed: z.boolean(),
      can_resume: z.boolean(),
      can_fork: z.boolean(),
      /** Whether a fork can end at a message. Older daemons omit it. */
      can_fork_at: z.optional(z.boolean()),
      /** The reason, as a sentence. */
      why_no_fork_at: z.optional(z.string()),
      /** What a new session can be given. Older daemons omit it. */
      start: z.optional(
        z.object({
          prompt: z.boolean(),
          modes: z.array(z.enum(PERMISSION_MODES)),
          /** The vendor of its models in `/v1/models`; absent if it takes models of many. */
          vendor: z.optional(z.string()),
        }),
      ),
    }),
  ),
  transport: z.object({ kind: z.literal("websocket"), replay: z.boolean() }),
  /** The home directory, to show paths with `~`. Older daemons omit it. */
  home: z.optional(z.string()),
});
export type Capabilities = z.infer<typeof Capabilities>;

export const RegisterRequest = z.object({ session_id: Text, socket_path: z.optional(Text) });

export const DeregisterRequest = z.object({ session_id: Text });

/** A new worktree of the repository that `cwd` is in. */
export const WorktreeRequest = z.object({
  /** Created if it does not exist; chosen automatically by default. */
  branch: z.optional(z.string().check(z.regex(/^[^-\s~^:?*[\\][^\s~^:?*[\\]*$/), z.maxLength(200))),
  /** Where a new branch starts; `HEAD` by default. */
  base: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type WorktreeRequest = z.infer<typeof WorktreeRequest>;

export const LaunchRequest = z.object({
  /** Starts the agent's own program with `args`. */
  agent: z.optional(Text),
  args: z.optional(Words),
  /** For an agent that `/v1/capabilities` says takes them. */
  prompt: z.optional(Word.check(z.minLength(1))),
  model: z.optional(
    Word.check(
      z.minLength(1),
      z.maxLength(200),
      z.refine((name) => !name.startsWith("-"), 'begins with "-"'),
    ),
  ),
  permission_mode: z.optional(z.enum(PERMISSION_MODES)),
  /** Any program; the user's shell if neither is given. */
  command: z.optional(Command),
  /** The home directory by default; `~` is expanded. */
  cwd: z.optional(Path),
  worktree: z.optional(WorktreeRequest),
  name: z.optional(z.string().check(z.maxLength(200))),
  /** Added to a fresh login environment. */
  env: z.optional(z.record(z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)), Word)),
  /** On another machine. */
  peer: z.optional(PeerName),
  /** Its first output is held until the caller attaches with `whole`. */
  followed: z.optional(z.boolean()),
  cols: z.optional(z.int().check(z.gte(MIN_COLS), z.lte(MAX_COLS))),
  rows: z.optional(z.int().check(z.gte(MIN_ROWS), z.lte(MAX_ROWS))),
});
export type LaunchRequest = z.infer<typeof LaunchRequest>;

export const Started = z.object({
  session_id: z.string(),
  pid: z.int(),
  /** For a fork at a message: its last message, counted from 0. It may differ from the requested one. */
  last_message: z.optional(z.int()),
  /** Nothing stated which conversation belongs to the session: it was inferred, and may be wrong. */
  guessed: z.optional(z.boolean()),
  /** The worktree that was created for it, and what the user should know about that. */
  worktree: z.optional(z.object({ path: z.string(), branch: z.string(), notes: z.array(z.string()) })),
});
export type Started = z.infer<typeof Started>;

export const OpenRequest = z.object({
  /** Instead of the conversation's own directory. */
  cwd: z.optional(Text),
  /**
   * For a fork: the message it continues from, counted from 0; the last one by default. An answer includes its tool results; a
   * prompt is left out, so that it can be replaced.
   */
  message: z.optional(z.int().check(z.gte(0))),
});

export const Pasted = z.object({
  /** Path for the session's program. */
  path: z.string(),
});

/** Another terminal in a running session. */
export const TerminalRequest = z.object({
  /** The user's shell by default. */
  command: z.optional(Command),
  cols: z.optional(z.int().check(z.gte(MIN_COLS), z.lte(MAX_COLS))),
  rows: z.optional(z.int().check(z.gte(MIN_ROWS), z.lte(MAX_ROWS))),
});
export type TerminalRequest = z.infer<typeof TerminalRequest>;

export const AnswerRequest = z.object({
  /** `allow` or `deny`, an option's number or label, or text for the agent. */
  answer: z.string().check(z.minLength(1), z.maxLength(100_000)),
  /** Id of the question, as in `/v1/attention`: refused if another one is open by now. */
  asked: z.optional(z.string().check(z.maxLength(100))),
});

export const SnoozeRequest = z.object({
  seconds: z.optional(z.number().check(z.gt(0), z.lte(30 * 86_400))),
});

export const MessageRequest = z.object({
  text: z.string().check(z.maxLength(1_000_000)),
  /** Type even if the session asks something: Enter may then answer it. */
  force: z.optional(z.boolean()),
});

/** How an answer or a message was delivered. */
export const Receipt = z.object({
  via: z.enum(["hook", "typed"]),
  /** Accepted; queued by the agent until its turn ends; or not seen to be accepted. */
  receipt: z.enum(["delivered", "queued", "not_taken"]),
  /** Whether it was seen to be accepted. */
  confirmed: z.boolean(),
  /** The chosen option. */
  option: z.optional(z.string()),
  state: z.optional(z.enum(STATES)),
});
export type Receipt = z.infer<typeof Receipt>;

export const Waited = z.object({ reason: z.enum(["idle", "died"]), exit_code: z.optional(z.int()) });
export type Waited = z.infer<typeof Waited>;

/** A session that needs its user: for what and since when; a budget that warns; a held prompt; or two sessions that edit the same file. */
export const AttentionItem = z.object({
  /** For a tmux session, its name there; for a held prompt, its id; for a budget or a conflict, `budget-` or `conflict-` and a hash. */
  session_id: z.string(),
  /** Set for a session outside of amux: known from its status file and answered in its own terminal. */
  place: z.optional(z.literal("tmux")),
  /** The machine it is on, by its local name. Absent for this one. */
  peer: z.optional(z.string()),
  title: z.string(),
  agent: z.string(),
  /** The team member who asks, if it is not the agent itself. */
  member: z.optional(z.string()),
  reason: z.enum(["permission", "question", "error", "limit", "budget", "finished", "queue", "conflict"]),
  /** The question, the error, the last message, or what is used of the budget. */
  text: z.optional(z.string()),
  since: z.string(),
  /** Of a used-up limit, if the agent says it. */
  resets_at: z.optional(z.string()),
  cwd: z.string(),
  /** Source of the status: a hook, the program itself, … */
  source: z.optional(z.string()),
  /** Id of the current question: an answer can carry it. */
  asked: z.optional(z.string()),
  ...Offer,
  /** The two of a conflict; the one that a held prompt is for. */
  sessions: z.optional(z.array(z.string())),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

export const SessionDetails = z.object({
  id: z.string(),
  /** `<agent>:<native id>` of the conversation in the agent's own store. */
  unified_id: z.optional(z.string()),
  /** The conversation's file, and whether the agent reported it or it was inferred. */
  conversation: z.optional(
    z.object({
      path: z.optional(z.string()),
      how: z.enum(["told", "guessed"]),
      by: z.enum(["hook", "launch", "command", "directory", "screen"]),
    }),
  ),
  unread_token: z.optional(z.int()),
  /** Out of the attention list until then, unless it asks again. */
  snoozed_until: z.optional(z.string()),
  /** Identifies the process: input can be limited to it. */
  incarnation: z.optional(z.string()),
  runner_pid: z.optional(z.int()),
  /** Its state, since when, and the report behind it. */
  state: z.optional(z.looseObject({ state: z.string(), since: z.string() })),
  /** The latest report from each source. */
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
  /** Of the program and its descendants. */
  usage: z.optional(z.object({ processes: z.int(), rss_bytes: z.number(), cpu_seconds: z.number() })),
  /** Tokens of its conversation so far; `input` includes caches. */
  tokens: z.optional(z.object({ input: z.number(), output: z.number(), total: z.number() })),
  /** The same with its cost, from the ledger. */
  cost: z.optional(
    z.looseObject({
      totalUsd: z.number(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      kind: z.optional(z.enum(["reported", "computed", "lower-bound", "unpriced", "unknown"])),
    }),
  ),
  /** Time in each state and tools used, as counted by its hooks. */
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
  /** From its status file, in that file's spelling. */
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

/** Sent by `GET /v1/events` when a conversation has grown: a client that shows it fetches the new part. */
export interface ConversationUpdate {
  type: "conversation-update";
  unified_id: string;
  /** The machine it is on; absent for this one. */
  peer?: string;
}
