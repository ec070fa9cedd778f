/** Actions through a session's runner: input, reading, status, names, screen. */
import { renameSession } from "../../client/rename-session.ts";
import { askRunner, type RunnerAnswer, type RunnerRequest } from "../../client/runner-http.ts";
import { storedMeta } from "../../client/stored-meta.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { ERROR_STATUS, type DaemonErrorCode } from "../../protocol/daemon-api.ts";
import { SessionMeta } from "../../protocol/runner-api.ts";
import { COLS_HEADER, INCARNATION_HEADER, ROWS_HEADER, SEQ_HEADER } from "../../protocol/runner-headers.ts";
import { MAX_RECORDING_BYTES, recordingFile } from "../../protocol/recording.ts";
import { parseRecord } from "../../protocol/recorded-screen.ts";
import { recordFile, sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import type { NotesStore } from "../files/session-notes.ts";
import { Problem } from "../problem.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import { MAX_DOCUMENT_BYTES, readBytes } from "../../lib/fs/foreign-file.ts";

/** The terminal every session has. */
const MAIN_PTY = "pty-1";

export class RunnerCalls {
  readonly #places: SessionDirectories;
  readonly #store: SessionStore;
  readonly #notes: NotesStore;

  constructor(places: SessionDirectories, store: SessionStore, notes: NotesStore) {
    this.#places = places;
    this.#store = store;
    this.#notes = notes;
  }

  /** Any runner request. Refusals become problems with the runner's message. */
  async call(id: string, request: RunnerRequest): Promise<RunnerAnswer> {
    const record = this.recordOf(id);
    if (!record.alive) throw new Problem("not_running", "The session is not running.");
    let answer: RunnerAnswer;
    try {
      answer = await askRunner(sessionFiles(this.#places, id).socket, request);
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      const isGone = error.code === "SESSION_NOT_FOUND";
      throw new Problem("runner_unreachable", isGone ? "The session's process is gone." : error.message, error);
    }
    if (answer.status >= 400) throw refusal(answer);
    return answer;
  }

  /** The runner's complete metadata. */
  async meta(id: string): Promise<SessionMeta> {
    const { body } = await this.call(id, { method: "GET", path: "/meta" });
    return SessionMeta.parse(JSON.parse(body.toString("utf8")));
  }

  /** Undefined if the process reports less than an amux runner does. */
  async wholeMeta(id: string): Promise<SessionMeta | undefined> {
    const { body } = await this.call(id, { method: "GET", path: "/meta" });
    return SessionMeta.safeParse(JSON.parse(body.toString("utf8"))).data;
  }

  /** The last lines of the terminal as plain text. */
  async text(id: string, lines: number): Promise<{ text: string; seq: string }> {
    const { body, headers } = await this.call(id, { method: "GET", path: `/text?lines=${lines}` });
    return { text: body.toString("utf8"), seq: String(headers[SEQ_HEADER]) };
  }

  /** Goes to the process that held the session at the request, never to its successor. */
  async input(id: string, data: Uint8Array, headers: Readonly<Record<string, string>>): Promise<void> {
    const { incarnation } = this.recordOf(id);
    const guard = incarnation === undefined ? {} : { [INCARNATION_HEADER]: incarnation };
    await this.call(id, { method: "POST", path: "/input", body: data, headers: { ...guard, ...headers } });
  }

  /** With a token, only the result it identifies is marked as read. */
  async read(id: string, token: number | undefined): Promise<void> {
    const record = this.recordOf(id);
    const request: RunnerRequest = { method: "POST", path: token === undefined ? "/read" : `/read?token=${token}` };
    if (record.alive) return void (await this.call(id, request));
    if (token !== undefined && token !== record.unread_token) {
      throw new Problem("result_changed", "There is a newer result than the one that was read.");
    }
    // A runner may outlive its program briefly, and would report otherwise to the next client.
    await askRunner(sessionFiles(this.#places, id).socket, request).catch(() => undefined);
    this.#store.upsert("runner", id, { unread: false });
    const { incarnation, unread_token: read_token } = record;
    this.#notes.write(id, { ...optional("incarnation", incarnation), ...optional("read_token", read_token) });
  }

  /** The user's name for it; an empty one removes it. */
  async rename(id: string, name: string): Promise<void> {
    if (this.recordOf(id).alive) return void (await this.call(id, { method: "PUT", path: "/title", body: name }));
    try {
      await renameSession(this.#places, id, name);
    } catch (error) {
      if (!(error instanceof AgentMuxError) || error.code !== "SESSION_NOT_FOUND") throw error;
      throw new Problem("not_running", "The session has never had a process.", error);
    }
    this.#store.upsert("runner", id, { name: name || undefined });
  }

  /** Terminal output that repaints the session, and its size: for an ended one, its last screen. */
  async scrollback(id: string, lines: number): Promise<{ output: Buffer; size: Record<string, string> }> {
    const record = this.recordOf(id);
    if (!record.alive) return this.#lastScreen(id);
    const { body, headers } = await this.call(id, { method: "GET", path: `/snapshot?history=${lines}` });
    return { output: body, size: sizeFrom(headers[COLS_HEADER], headers[ROWS_HEADER]) };
  }

  /** Its output with times, if it was started with a recording. */
  recording(id: string): Buffer {
    this.recordOf(id);
    try {
      return readBytes(recordingFile(sessionFiles(this.#places, id).directory), 2 * MAX_RECORDING_BYTES);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      throw new Problem(
        "not_possible",
        `${id} was not recorded. Only a session started with amux run --record is.`,
        error,
      );
    }
  }

  /** From its stored record: a size line, then the output. */
  #lastScreen(id: string): { output: Buffer; size: Record<string, string> } {
    let bytes: Buffer;
    try {
      bytes = readBytes(recordFile(sessionFiles(this.#places, id).directory, MAIN_PTY), MAX_DOCUMENT_BYTES);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return { output: Buffer.alloc(0), size: {} };
      throw error;
    }
    const { output, cols, rows } = parseRecord(bytes);
    return { output, size: sizeFrom(cols, rows) };
  }

  /** The runner's metadata, current or last known, and the reports behind its status. */
  async account(id: string): Promise<{ meta: object; evidence?: object; now: string }> {
    if (!this.recordOf(id).alive) {
      const meta = storedMeta(sessionFiles(this.#places, id).meta);
      if (meta === undefined) throw new Problem("not_running", "The session has never had a process.");
      return { meta: { ...meta, alive: false }, now: new Date().toISOString() };
    }
    const [meta, { body }] = await Promise.all([this.meta(id), this.call(id, { method: "GET", path: "/evidence" })]);
    const evidence = asObject(JSON.parse(body.toString("utf8")));
    return { meta, ...optional("evidence", evidence), now: new Date().toISOString() };
  }

  recordOf(id: string): Readonly<SessionRecord> {
    const record = this.#store.record(id);
    if (record === undefined) throw new Problem("not_found", `There is no session ${id}.`);
    return record;
  }
}

function sizeFrom(cols: unknown, rows: unknown): Record<string, string> {
  return { [COLS_HEADER]: String(cols), [ROWS_HEADER]: String(rows) };
}

function refusal({ status, body }: RunnerAnswer): Problem {
  let error: Record<string, unknown> | undefined;
  try {
    error = asObject(asObject(JSON.parse(body.toString("utf8")))?.["error"]);
  } catch {
    // Not JSON.
  }
  const code = asText(error?.["code"]) ?? "";
  const known = Object.hasOwn(ERROR_STATUS, code) ? (code as DaemonErrorCode) : "runner_unreachable";
  return new Problem(known, asText(error?.["message"]) ?? `The session's process refused with ${status}.`);
}
