/**
 * The messages between a runner and its frame clients. `snapshot output exit created` and `input resize create
 * destroy` are the published ones; the rest was added and is optional to a client that does not know it.
 * Only additions are allowed: runners outlive upgrades. Unknown fields are dropped, unknown tags ignored.
 * How a message becomes bytes is in frame-codec.ts.
 */
import * as z from "zod/mini";

export const PROTOCOL_VERSION = 1;

/** What both sides may announce in `hello`. */
export const CAPABILITIES = ["binary-output", "binary-input"] as const;

/** Two columns is the emulator's minimum; the upper limits keep one screen below 8 MB of cells. */
export const MIN_COLS = 2;
export const MAX_COLS = 1000;
export const MIN_ROWS = 1;
export const MAX_ROWS = 500;

const PtyId = z.string().check(z.regex(/^[A-Za-z0-9._-]{1,64}$/));
const Cols = z.int().check(z.gte(MIN_COLS), z.lte(MAX_COLS));
const Rows = z.int().check(z.gte(MIN_ROWS), z.lte(MAX_ROWS));
/** Offset in a PTY's output: the number of bytes before it. */
const Sequence = z.int().check(z.gte(0));
const Token = z.string().check(z.maxLength(64));
const Capabilities = z.array(Token).check(z.maxLength(32));

export const TerminalState = z.object({
  cols: Cols,
  rows: Rows,
  /** Terminal output that paints the screen and restores every mode on a cleared terminal of this size. */
  screen: z.string(),
  /** The stream continues here. */
  seq: Sequence,
  cursor: z.object({ x: z.int(), y: z.int(), visible: z.boolean() }),
  alternate: z.boolean(),
  title: z.string(),
  /** Lines above the screen that `history` can ask for. */
  historyLines: z.int(),
});
export type TerminalState = z.infer<typeof TerminalState>;

export const PtyInfo = z.object({
  ptyId: PtyId,
  cols: Cols,
  rows: Rows,
  cwd: z.string(),
  pid: z.int(),
  seq: Sequence,
  exitCode: z.optional(z.int()),
});
export type PtyInfo = z.infer<typeof PtyInfo>;

export const ServerFrame = z.discriminatedUnion("_tag", [
  z.object({
    _tag: z.literal("snapshot"),
    ptyId: PtyId,
    state: TerminalState,
    /** Oldest first, one line each with its colours. Empty for clients that ask for history themselves. */
    scrollback: z.array(z.string()),
  }),
  /** `seq` is the offset after the data: what `attach.since` takes to go on from here. */
  z.object({ _tag: z.literal("output"), ptyId: PtyId, data: z.string(), seq: z.optional(Sequence) }),
  z.object({ _tag: z.literal("exit"), ptyId: PtyId, exitCode: z.int(), signal: z.optional(z.string()) }),
  z.object({
    _tag: z.literal("created"),
    ptyId: PtyId,
    cols: Cols,
    rows: Rows,
    cwd: z.string(),
    requestId: z.optional(Token),
  }),
  z.object({
    _tag: z.literal("hello"),
    version: z.int(),
    capabilities: Capabilities,
    sessionId: z.string(),
    incarnation: z.string(),
    ptys: z.array(PtyInfo),
  }),
  z.object({ _tag: z.literal("resized"), ptyId: PtyId, cols: Cols, rows: Rows }),
  /** A piece of what `history` asked for, newest piece first, lines inside it oldest first. */
  z.object({ _tag: z.literal("history"), ptyId: PtyId, lines: z.array(z.string()), remaining: z.int() }),
  z.object({ _tag: z.literal("pong"), id: z.optional(Token) }),
  /** Why the connection is about to end, so that a client can tell an end from a failure. */
  z.object({ _tag: z.literal("bye"), reason: z.enum(["ended", "killed", "protocol-error", "incarnation-mismatch"]) }),
  z.object({ _tag: z.literal("error"), code: z.string(), message: z.string(), requestId: z.optional(Token) }),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

export const ClientFrame = z.discriminatedUnion("_tag", [
  z.object({ _tag: z.literal("input"), ptyId: PtyId, data: z.string() }),
  z.object({ _tag: z.literal("resize"), ptyId: PtyId, cols: Cols, rows: Rows }),
  z.object({
    _tag: z.literal("create"),
    cols: Cols,
    rows: Rows,
    cwd: z.string().check(z.maxLength(4096)),
    /** The user's shell when absent. */
    command: z.optional(z.array(z.string()).check(z.minLength(1), z.maxLength(4096))),
    requestId: z.optional(Token),
  }),
  z.object({ _tag: z.literal("destroy"), ptyId: PtyId }),
  z.object({
    _tag: z.literal("hello"),
    version: z.int(),
    capabilities: z._default(Capabilities, []),
    /** The process this client believes to be talking to. */
    incarnation: z.optional(Token),
  }),
  /** Answered by the bytes after `since` when they are still held, else by a snapshot; then the stream. */
  z.object({ _tag: z.literal("attach"), ptyId: PtyId, since: z.optional(Sequence) }),
  z.object({ _tag: z.literal("detach"), ptyId: PtyId }),
  /** This viewer is being looked at: its size counts from now on. */
  z.object({ _tag: z.literal("focus"), ptyId: PtyId }),
  z.object({ _tag: z.literal("history"), ptyId: PtyId, lines: z.int().check(z.gte(1)) }),
  z.object({ _tag: z.literal("ping"), id: z.optional(Token) }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

export type Parsed<T> = { ok: true; frame: T } | { ok: false; unknownTag?: string; message: string };

const CLIENT_TAGS: ReadonlySet<string> = new Set(ClientFrame.def.options.map((option) => tagOf(option)));
const SERVER_TAGS: ReadonlySet<string> = new Set(ServerFrame.def.options.map((option) => tagOf(option)));

function tagOf(option: { def: { shape: { _tag: z.ZodMiniLiteral<string> } } }): string {
  return option.def.shape._tag.def.values[0] ?? "";
}

export function parseClientFrame(json: string): Parsed<ClientFrame> {
  return parseFrame(json, ClientFrame, CLIENT_TAGS);
}

export function parseServerFrame(json: string): Parsed<ServerFrame> {
  return parseFrame(json, ServerFrame, SERVER_TAGS);
}

function parseFrame<T>(json: string, schema: z.ZodMiniType<T>, tags: ReadonlySet<string>): Parsed<T> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, message: "The frame is not JSON." };
  }
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, frame: result.data };
  const tag = typeof value === "object" && value !== null ? (value as { _tag?: unknown })._tag : undefined;
  if (typeof tag === "string" && !tags.has(tag)) {
    return { ok: false, unknownTag: tag.slice(0, 64), message: "The frame's tag is not known." };
  }
  const issue = result.error.issues[0];
  return { ok: false, message: `The frame is malformed at "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "?"}` };
}
