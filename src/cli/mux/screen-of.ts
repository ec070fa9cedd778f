/** A session's terminal as an emulator: of a running one what its runner says, of a dead one its record, replayed. */
import { readFileSync } from "node:fs";
import { askRunner } from "../../client/runner-http.ts";
import type { KnownSession } from "../../client/session-list.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/directory.ts";
import { asNumber, asObject } from "../../lib/fields.ts";
import { recordFile, sessionFiles } from "../../protocol/session-files.ts";
import type { Screen } from "../../screen/screen.ts";
import { sessionPlaces } from "./places.ts";

const PTY = "pty-1";
const NEWLINE = 0x0a;

interface Recorded {
  cols: number;
  rows: number;
  /** Terminal output that gives the screen and what is above it. */
  output: Buffer;
}

async function recordedOutput({ meta, alive }: KnownSession, lines: number): Promise<Recorded> {
  const { socket, directory } = sessionFiles(sessionPlaces(), meta.id);
  if (!alive) return readRecord(recordFile(directory, PTY));
  const { body, headers } = await askRunner(socket, { method: "GET", path: `/snapshot?history=${lines}` });
  return { cols: Number(headers["x-amux-cols"]), rows: Number(headers["x-amux-rows"]), output: body };
}

export async function screenOf(session: KnownSession, lines: number): Promise<Screen> {
  const { cols, rows, output } = await recordedOutput(session, lines);
  const [{ Screen }, { SILENT_LISTENER }] = await Promise.all([
    import("../../screen/screen.ts"),
    import("../../screen/silent-listener.ts"),
  ]);
  const screen = new Screen(cols, rows, Math.max(lines, 1), SILENT_LISTENER);
  screen.feed(output);
  return screen;
}

function readRecord(path: string): Recorded {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      throw new AgentMuxError("SESSION_NOT_FOUND", "Nothing is left of the session's screen.");
    throw error;
  }
  const end = bytes.indexOf(NEWLINE);
  const head = asObject(JSON.parse(bytes.toString("utf8", 0, end)));
  return {
    cols: asNumber(head?.["cols"]) ?? 80,
    rows: asNumber(head?.["rows"]) ?? 24,
    output: bytes.subarray(end + 1),
  };
}
