/** Claude Code sessions made of billed replies. */
import type { AgentEnv, SessionReader, UsageRecord } from "../../../src/agents/adapter.ts";
import { ReadNotes } from "../../../src/agents/read-notes.ts";
import claude from "../../../src/agents/claude/index.ts";

const { history } = claude;
const PROJECT = ".claude/projects/-home-user-dev";
export const ID = "11111111-2222-4333-8444-555555555555";

interface MadeHome {
  readonly path: string;
  write(name: string, text: string): unknown;
}

interface Reply {
  id?: string;
  usage: Record<string, unknown>;
  stop?: string | null;
  [field: string]: unknown;
}

let counter = 0;

export function reply({ id, usage, stop = "end_turn", ...rest }: Reply): string {
  const uuid = `${String(++counter).padStart(8, "0")}-0000-4000-8000-000000000000`;
  return JSON.stringify({
    type: "assistant",
    uuid,
    parentUuid: null,
    isSidechain: false,
    sessionId: ID,
    requestId: "req_1",
    timestamp: "2026-05-01T10:00:00Z",
    message: {
      ...(id === undefined ? {} : { id }),
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "text", text: "ok" }],
      stop_reason: stop,
      usage,
    },
    ...rest,
  });
}

export function write(home: MadeHome, lines: readonly string[], name = `${ID}.jsonl`): void {
  home.write(`${PROJECT}/${name}`, `${lines.join("\n")}\n`);
}

export function usageOf(home: MadeHome, sessionId = ID): UsageRecord[] {
  return [...readerOf(home, sessionId).usage()];
}

export function readerOf(home: MadeHome, sessionId = ID): SessionReader {
  const env: AgentEnv = { home: home.path, platform: "linux", vars: {} };
  const notes = new ReadNotes();
  const source = history.listSessions(env, notes).find((candidate) => candidate.sessionId === sessionId)!;
  return history.read(source, env, notes)!;
}
