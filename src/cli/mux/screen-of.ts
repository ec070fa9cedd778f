/** A session's terminal in an emulator: from a running session's runner, or replayed from an ended one's record. */
import { askRunner } from "../../client/runner-http.ts";
import type { KnownSession } from "../../client/session-list.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { MAX_COLS, MAX_ROWS } from "../../protocol/frames.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { parseRecord, type RecordedScreen } from "../../protocol/recorded-screen.ts";
import { COLS_HEADER, ROWS_HEADER } from "../../protocol/runner-headers.ts";
import { recordFile, sessionFiles } from "../../protocol/session-files.ts";
import type { Screen } from "../../screen/screen.ts";
import { sessionDirectories } from "./session-directories.ts";
import { askDaemonRaw } from "./remote.ts";
import { MAX_DOCUMENT_BYTES, readBytes } from "../../lib/fs/foreign-file.ts";

const PTY = "pty-1";
const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

async function recordedOutput({ meta, alive }: KnownSession, lines: number): Promise<RecordedScreen> {
  const { socket, directory } = sessionFiles(sessionDirectories(), meta.id);
  const path = `/snapshot?history=${lines}`;
  const answer = alive ? await askRunner(socket, { method: "GET", path }).catch(endedMeanwhile) : undefined;
  if (answer === undefined) return readRecord(recordFile(directory, PTY));
  const { body, headers } = answer;
  return { cols: Number(headers[COLS_HEADER]), rows: Number(headers[ROWS_HEADER]), output: body };
}

/** A session may end after it was chosen. */
export function endedMeanwhile(error: unknown): undefined {
  if (!(error instanceof AgentMuxError) || error.code !== "SESSION_NOT_FOUND") throw error;
}

export async function screenOf(session: KnownSession, lines: number): Promise<Screen> {
  return screenFrom(await recordedOutput(session, lines), lines);
}

/** The same for a remote session. */
export async function screenOfRemote({ id, terminal_cols, terminal_rows }: MuxSession, lines: number): Promise<Screen> {
  const path = `/v1/sessions/${id}/scrollback?lines=${lines}`;
  const { body, headers } = await askDaemonRaw({ method: "GET", path });
  if (body.length === 0) throw new AgentMuxError("SESSION_NOT_FOUND", "No screen was saved.");
  const cols = Number(headers[COLS_HEADER] ?? terminal_cols ?? DEFAULT_COLS);
  const rows = Number(headers[ROWS_HEADER] ?? terminal_rows ?? DEFAULT_ROWS);
  if (!(cols <= MAX_COLS && rows <= MAX_ROWS)) throw new AgentMuxError("PARSE_ERROR", "The screen has no size.");
  return screenFrom({ cols, rows, output: body }, lines);
}

async function screenFrom({ cols, rows, output }: RecordedScreen, lines: number): Promise<Screen> {
  const [{ Screen }, { SILENT_LISTENER }] = await Promise.all([
    import("../../screen/screen.ts"),
    import("../../screen/silent-listener.ts"),
  ]);
  const screen = new Screen(cols, rows, Math.max(lines, 1), SILENT_LISTENER);
  screen.feed(output);
  return screen;
}

function readRecord(path: string): RecordedScreen {
  let bytes: Buffer;
  try {
    bytes = readBytes(path, MAX_DOCUMENT_BYTES);
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new AgentMuxError("SESSION_NOT_FOUND", "No screen was saved.");
    throw error;
  }
  return parseRecord(bytes);
}
