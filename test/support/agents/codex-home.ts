/** A temporary home with rollouts of a few plain lines. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SessionMessage } from "../../../src/core/session.ts";
import type { Json } from "../../../src/lib/json/fields.ts";
import type { AgentEnv, SessionReader, SessionSource, UsageRecord } from "../../../src/agents/adapter.ts";
import { ReadNotes } from "../../../src/agents/read-notes.ts";
import { history } from "../../../src/agents/codex/history.ts";

export class WrittenHome {
  readonly home = mkdtempSync(join(tmpdir(), "amux-codex-"));
  readonly env: AgentEnv;
  notes = new ReadNotes();

  constructor(vars: Record<string, string> = {}) {
    this.env = { home: this.home, platform: "linux", vars };
  }

  /** Writes a file below the home; records become lines. */
  write(path: string, content: string | Buffer | readonly unknown[]): string {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    const lines = Array.isArray(content) ? content.map((record) => `${JSON.stringify(record)}\n`).join("") : content;
    writeFileSync(file, lines as string | Buffer);
    return file;
  }

  /** A thread's rollout in the dated tree, or a further segment. */
  rollout(threadId: string, records: readonly unknown[], segment?: string): string {
    const id = segment === undefined ? threadId : `${threadId}_${segment}`;
    const time = segment === undefined ? "2026-03-01T10-00-00" : "2026-03-01T11-00-00";
    return this.write(`.codex/sessions/2026/03/01/rollout-${time}-${id}.jsonl`, records);
  }

  sources(): SessionSource[] {
    return history.listSessions(this.env, this.notes);
  }

  source(sessionId: string): SessionSource {
    const found = this.sources().find((source) => source.sessionId === sessionId);
    if (found === undefined) throw new Error(`${sessionId} is not listed`);
    return found;
  }

  read(sessionId: string): SessionReader {
    const reader = history.read(this.source(sessionId), this.env, this.notes);
    if (reader === undefined) throw new Error(`${sessionId} holds no conversation`);
    return reader;
  }

  messages(sessionId: string): SessionMessage[] {
    return [...this.read(sessionId).messages()];
  }

  usage(sessionId: string): UsageRecord[] {
    return [...this.read(sessionId).usage()];
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** `role: content`, with a mark on inherited messages. */
export function outline(messages: Iterable<SessionMessage>): string[] {
  return [...messages].map(({ role, content, inherited }) => `${inherited ? "(inherited) " : ""}${role}: ${content}`);
}

/** A version 7 UUID for a time, so that ids sort like times. */
export function uuidAt(time: string, serial = 0): string {
  const ms = Date.parse(time).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${serial.toString(16).padStart(12, "0")}`;
}

/** Records of the legacy envelope, stamped with this time. */
export function legacy(time: string): Legacy {
  const line = (type: string, payload: Json): Json => ({ timestamp: time, type, payload });
  return {
    meta: (id, fields = {}) =>
      line("session_meta", { id, timestamp: time, cwd: "/p", cli_version: "0.98.0", ...fields }),
    prompt: (message) => line("event_msg", { type: "user_message", message, images: [] }),
    userItem: (text) =>
      line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text }] }),
    reply: (text) =>
      line("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text }] }),
    turn: (fields = {}) => line("turn_context", { cwd: "/p", model: "gpt-5-codex", ...fields }),
    started: (turn_id) => line("event_msg", { type: "task_started", turn_id }),
    count: (total, last) =>
      line("event_msg", {
        type: "token_count",
        info: { total_token_usage: counts(total), last_token_usage: counts(last) },
        rate_limits: null,
      }),
    record: (response_id, usage, fields = {}) =>
      line("token_usage_record", { response_id, usage: counts(usage), thread_token_usage: counts(usage), ...fields }),
    line,
  };
}

interface Legacy {
  meta(id: string, fields?: Json): Json;
  prompt(text: string): Json;
  userItem(text: string): Json;
  reply(text: string): Json;
  turn(fields?: Json): Json;
  started(turnId: string): Json;
  count(total: number, last: number): Json;
  record(responseId: string, usage: number, fields?: Json): Json;
  line(type: string, payload: Json): Json;
}

/** Input only, so that one number identifies a request. */
function counts(input: number): Json {
  return { input_tokens: input, cached_input_tokens: 0, output_tokens: 1, reasoning_output_tokens: 0 };
}

/** The same records as paginated ones, numbered from `first`. */
export function numbered(first: number, records: readonly Json[]): Json[] {
  return records.map((record, index) => {
    const { timestamp, ...rest } = record;
    return { timestamp, ordinal: first + index, ...rest };
  });
}
