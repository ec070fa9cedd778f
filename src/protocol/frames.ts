/**
 * Messages between a runner and its frame clients. Runners outlive upgrades, so only additions are allowed: unknown fields are
 * dropped, unknown tags ignored.
 */
import {
  check,
  integer,
  list,
  optional,
  object,
  oneOf,
  withDefault,
  tagged,
  text,
  boolean,
  type Shape,
  type Shaped,
} from "./shape.ts";

export const PROTOCOL_VERSION = 1;

/** Capabilities that both sides may announce in `hello`. */
export const CAPABILITIES = ["binary-output", "binary-input"] as const;

/** Two columns is the emulator's minimum; the upper limits keep a screen below 8 MB of cells. */
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
/** Random enough that only the session's owner, who can read the file, knows it. */
const Capabilities = list(Token, { max: 32 });

const TerminalState = object({
  cols: Cols,
  rows: Rows,
  /** Terminal output that paints the screen and restores every mode on a cleared terminal of this size. */
  screen: text(),
  /** The stream continues at this offset. */
  seq: Sequence,
  cursor: object({ x: integer(), y: integer(), visible: boolean }),
  alternate: boolean,
  title: text(),
  /** Lines above the screen that `history` can request. */
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
  exitCode: optional(integer()),
});
export type PtyInfo = Shaped<typeof PtyInfo>;

const SERVER_MESSAGES = {
  snapshot: {
    ptyId: PtyId,
    state: TerminalState,
    /** Oldest first, one line each with its colours. Empty for clients that request history themselves. */
    scrollback: list(text()),
  },
  /** `seq` is the offset after the data: pass it to `attach.since` to continue from here. */
  output: { ptyId: PtyId, data: text(), seq: optional(Sequence) },
  exit: { ptyId: PtyId, exitCode: integer(), signal: optional(text()) },
  created: { ptyId: PtyId, cols: Cols, rows: Rows, cwd: text(), requestId: optional(Token) },
  hello: {
    version: integer(),
    capabilities: Capabilities,
    sessionId: text(),
    incarnation: text(),
    ptys: list(PtyInfo),
  },
  resized: { ptyId: PtyId, cols: Cols, rows: Rows },
  /** A piece of the requested history, newest piece first; lines inside it oldest first. */
  history: { ptyId: PtyId, lines: list(text()), remaining: integer() },
  pong: { id: optional(Token) },
  /** Why the connection ends, so that a client can tell an end from a failure. */
  bye: { reason: oneOf("ended", "killed", "protocol-error", "incarnation-mismatch") },
  error: { code: text(), message: text(), requestId: optional(Token) },
};
const ServerFrame = tagged("_tag", SERVER_MESSAGES);
export type ServerFrame = Shaped<typeof ServerFrame>;

/** A client's size may be absurd (a collapsed pane): it is refused, but the connection stays. */
const AnySize = { cols: integer(), rows: integer() };

const CLIENT_MESSAGES = {
  input: { ptyId: PtyId, data: text() },
  resize: { ptyId: PtyId, ...AnySize },
  create: {
    ...AnySize,
    cwd: text({ max: 4096 }),
    /** The user's shell if absent. */
    command: optional(list(text(), { min: 1, max: 4096 })),
    requestId: optional(Token),
  },
  destroy: { ptyId: PtyId },
  hello: {
    version: integer(),
    capabilities: withDefault(Capabilities, []),
    /** The process this client expects to talk to. */
    incarnation: optional(Token),
  },
  /**
   * Answered with the bytes after `since` if still held, otherwise with a snapshot; then the stream. With `whole` the program
   * waits while this client is behind, as it would for a pipe; any other client that falls behind gets a new snapshot.
   */
  attach: { ptyId: PtyId, since: optional(Sequence), whole: optional(boolean) },
  detach: { ptyId: PtyId },
  /** This viewer has the focus: its size applies from now on. */
  focus: { ptyId: PtyId },
  history: { ptyId: PtyId, lines: integer(1) },
  ping: { id: optional(Token) },
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
