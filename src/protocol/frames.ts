/**
 * The messages between a runner and its frame clients. `snapshot output exit created` and `input resize create
 * destroy` are the published ones; the rest was added and is optional to a client that does not know it.
 * Only additions are allowed: runners outlive upgrades. Unknown fields are dropped, unknown tags ignored.
 * How a message becomes bytes is in frame-codec.ts.
 */
import {
  check,
  integer,
  list,
  maybe,
  object,
  oneOf,
  otherwise,
  tagged,
  text,
  yesOrNo,
  type Shape,
  type Shaped,
} from "./shape.ts";

export const PROTOCOL_VERSION = 1;

/** What both sides may announce in `hello`. */
export const CAPABILITIES = ["binary-output", "binary-input"] as const;

/** Two columns is the emulator's minimum; the upper limits keep one screen below 8 MB of cells. */
export const MIN_COLS = 2;
export const MAX_COLS = 1000;
export const MIN_ROWS = 1;
export const MAX_ROWS = 500;

const PtyId = text({ pattern: /^[A-Za-z0-9._-]{1,64}$/ });
export const Cols = integer(MIN_COLS, MAX_COLS);
export const Rows = integer(MIN_ROWS, MAX_ROWS);
/** Offset in a PTY's output: the number of bytes before it. */
const Sequence = integer(0);
const Token = text({ max: 64 });
/** So random that who knows it has seen the file: only the session's owner can. */
const Capabilities = list(Token, { max: 32 });

const TerminalState = object({
  cols: Cols,
  rows: Rows,
  /** Terminal output that paints the screen and restores every mode on a cleared terminal of this size. */
  screen: text(),
  /** The stream continues here. */
  seq: Sequence,
  cursor: object({ x: integer(), y: integer(), visible: yesOrNo }),
  alternate: yesOrNo,
  title: text(),
  /** Lines above the screen that `history` can ask for. */
  historyLines: integer(),
});
export type TerminalState = Shaped<typeof TerminalState>;

const PtyInfo = object({
  ptyId: PtyId,
  cols: Cols,
  rows: Rows,
  cwd: text(),
  pid: integer(),
  seq: Sequence,
  exitCode: maybe(integer()),
});
export type PtyInfo = Shaped<typeof PtyInfo>;

const SERVER_MESSAGES = {
  snapshot: {
    ptyId: PtyId,
    state: TerminalState,
    /** Oldest first, one line each with its colours. Empty for clients that ask for history themselves. */
    scrollback: list(text()),
  },
  /** `seq` is the offset after the data: what `attach.since` takes to go on from here. */
  output: { ptyId: PtyId, data: text(), seq: maybe(Sequence) },
  exit: { ptyId: PtyId, exitCode: integer(), signal: maybe(text()) },
  created: { ptyId: PtyId, cols: Cols, rows: Rows, cwd: text(), requestId: maybe(Token) },
  hello: {
    version: integer(),
    capabilities: Capabilities,
    sessionId: text(),
    incarnation: text(),
    ptys: list(PtyInfo),
  },
  resized: { ptyId: PtyId, cols: Cols, rows: Rows },
  /** A piece of what `history` asked for, newest piece first, lines inside it oldest first. */
  history: { ptyId: PtyId, lines: list(text()), remaining: integer() },
  pong: { id: maybe(Token) },
  /** Why the connection is about to end, so that a client can tell an end from a failure. */
  bye: { reason: oneOf("ended", "killed", "protocol-error", "incarnation-mismatch") },
  error: { code: text(), message: text(), requestId: maybe(Token) },
};
const ServerFrame = tagged("_tag", SERVER_MESSAGES);
export type ServerFrame = Shaped<typeof ServerFrame>;

/** Of a client a size may be absurd (a collapsed pane): it is refused, but is no reason to part. */
const AnySize = { cols: integer(), rows: integer() };

const CLIENT_MESSAGES = {
  input: { ptyId: PtyId, data: text() },
  resize: { ptyId: PtyId, ...AnySize },
  create: {
    ...AnySize,
    cwd: text({ max: 4096 }),
    /** The user's shell when absent. */
    command: maybe(list(text(), { min: 1, max: 4096 })),
    requestId: maybe(Token),
  },
  destroy: { ptyId: PtyId },
  hello: {
    version: integer(),
    capabilities: otherwise(Capabilities, []),
    /** The process this client believes to be talking to. */
    incarnation: maybe(Token),
  },
  /** Answered by the bytes after `since` when they are still held, else by a snapshot; then the stream. */
  attach: { ptyId: PtyId, since: maybe(Sequence) },
  detach: { ptyId: PtyId },
  /** This viewer is being looked at: its size counts from now on. */
  focus: { ptyId: PtyId },
  history: { ptyId: PtyId, lines: integer(1) },
  ping: { id: maybe(Token) },
};
const ClientFrame = tagged("_tag", CLIENT_MESSAGES);
export type ClientFrame = Shaped<typeof ClientFrame>;

export function isSize({ cols, rows }: { cols: number; rows: number }): boolean {
  return cols >= MIN_COLS && cols <= MAX_COLS && rows >= MIN_ROWS && rows <= MAX_ROWS;
}

export function badSize({ cols, rows }: { cols: number; rows: number }): string {
  return `A terminal cannot have ${cols} columns and ${rows} rows.`;
}

export type Parsed<T> = { ok: true; frame: T } | { ok: false; unknownTag?: string; message: string };

export function parseClientFrame(json: string): Parsed<ClientFrame> {
  return parseFrame(json, ClientFrame, CLIENT_MESSAGES);
}

export function parseServerFrame(json: string): Parsed<ServerFrame> {
  return parseFrame(json, ServerFrame, SERVER_MESSAGES);
}

function parseFrame<T>(json: string, shape: Shape<T>, messages: object): Parsed<T> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, message: "The frame is not JSON." };
  }
  const result = check(shape, value);
  if (result.ok) return { ok: true, frame: result.value };
  const tag = typeof value === "object" && value !== null ? (value as { _tag?: unknown })._tag : undefined;
  if (typeof tag === "string" && !Object.hasOwn(messages, tag)) {
    return { ok: false, unknownTag: tag.slice(0, 64), message: "The frame's tag is not known." };
  }
  return { ok: false, message: `The frame is malformed: ${result.message}.` };
}
