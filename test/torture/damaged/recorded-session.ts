/** One recorded session of each agent, to be damaged. */
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fixturesOf } from "../../history/recorded-home.ts";

export interface RecordedSession {
  agent: string;
  /** The recorded home, and the part of a name that selects its files. */
  home: string;
  part: string;
  /** The file to damage, in the home. */
  file: string;
  /** Where a second file of the same session would be; absent when the path is the session's name. */
  twin?: string;
}

export const LINE_SESSIONS: readonly RecordedSession[] = [
  {
    agent: "claude",
    home: "home",
    part: "2f8a60a3",
    file: ".claude/projects/-home-user-dev-shop-api/2f8a60a3-a17c-4232-bd77-c322d9a13839.jsonl",
    twin: ".claude/projects/-home-user-other/2f8a60a3-a17c-4232-bd77-c322d9a13839.jsonl",
  },
  {
    agent: "codex",
    home: "home",
    part: "01a1dce3-a707",
    file: ".codex/sessions/2026/11/15/rollout-2026-11-15T01-47-49-01a1dce3-a707-7070-8f5b-01cd60aad5c8.jsonl",
    twin: ".codex/sessions/2026/11/16/rollout-2026-11-15T01-47-49-01a1dce3-a707-7070-8f5b-01cd60aad5c8.jsonl",
  },
  {
    agent: "copilot",
    home: "home",
    part: "c420530c-5088-4925-a7a6-53cf03eb50db",
    file: ".copilot/session-state/c420530c-5088-4925-a7a6-53cf03eb50db/events.jsonl",
  },
  {
    agent: "cursor",
    home: "home",
    part: "60a535be-12db-49e0-ae12-7cd4dc027974.jsonl",
    file: ".cursor/projects/home-user-dev-shop-api/agent-transcripts/60a535be-12db-49e0-ae12-7cd4dc027974/60a535be-12db-49e0-ae12-7cd4dc027974.jsonl",
    twin: ".cursor/projects/home-user-other/agent-transcripts/60a535be-12db-49e0-ae12-7cd4dc027974/60a535be-12db-49e0-ae12-7cd4dc027974.jsonl",
  },
  {
    agent: "gemini",
    home: "home",
    part: "session-2026-10-08T10-00-25c2ee69",
    file: ".gemini/tmp/shop-web/chats/session-2026-10-08T10-00-25c2ee69.jsonl",
    twin: ".gemini/tmp/other/chats/session-2026-10-08T10-00-25c2ee69.jsonl",
  },
  {
    agent: "kimi",
    home: "home",
    part: "session_312c0586",
    file: ".kimi-code/sessions/wd_shop-web_fdb5d8928a61/session_312c0586-031b-4550-bc5e-026c45c36936/agents/main/wire.jsonl",
  },
  {
    agent: "omp",
    home: "home",
    part: "01a1dcc5-90a6",
    file: ".omp/agent/sessions/-dev-shop-cli/2026-11-15T01-14-57-574Z_01a1dcc5-90a6-748d-a4e0-210cde642137.jsonl",
    twin: ".omp/agent/sessions/-dev-other/2026-11-15T01-14-57-574Z_01a1dcc5-90a6-748d-a4e0-210cde642137.jsonl",
  },
  {
    agent: "openclaw",
    home: "home-clawdbot",
    part: "531a6347",
    file: ".clawdbot/agents/main/sessions/531a6347-ff63-43db-93d3-b9c5eae86475.jsonl",
    twin: ".clawdbot/agents/ops/sessions/531a6347-ff63-43db-93d3-b9c5eae86475.jsonl",
  },
  {
    agent: "pi",
    home: "home",
    part: "01a1dca3-d5ef",
    file: ".pi/agent/sessions/--home-user-dev-shop-cli--/2026-11-15T00-38-07-094Z_01a1dca3-d5ef-70ba-b858-e4a29f8c680f.jsonl",
    twin: ".pi/agent/sessions/--home-user-other--/2026-11-15T00-38-07-094Z_01a1dca3-d5ef-70ba-b858-e4a29f8c680f.jsonl",
  },
  {
    agent: "qwen",
    home: "home",
    part: "7df6f8a5",
    file: ".qwen/projects/-home-user-dev-shop-web/chats/7df6f8a5-c718-4493-b88b-698d7e86b2e6.jsonl",
    twin: ".qwen/projects/-home-user-other/chats/7df6f8a5-c718-4493-b88b-698d7e86b2e6.jsonl",
  },
  {
    agent: "droid",
    home: "home",
    part: "5845f27b",
    file: ".factory/sessions/-home-user-dev-shop-web/5845f27b-7c04-4832-a7dd-66fe19c5a4c8.jsonl",
    twin: ".factory/sessions/-home-user-other/5845f27b-7c04-4832-a7dd-66fe19c5a4c8.jsonl",
  },
  {
    agent: "grok",
    home: "home",
    part: "01a1ebc7-6bac",
    file: ".grok/sessions/%2Fhome%2Fuser%2Fdev%2Fshop-web/01a1ebc7-6bac-76e1-8c7f-fd18c885ff57/updates.jsonl",
    twin: ".grok/sessions/%2Fhome%2Fuser%2Fother/01a1ebc7-6bac-76e1-8c7f-fd18c885ff57/updates.jsonl",
  },
  {
    agent: "vscode",
    home: "home",
    part: "6d2f1a90-0000-4000-8000-000000000001",
    file: ".config/Code/User/workspaceStorage/3f1c0b7a9d2e4f5681a2b3c4d5e6f708/chatSessions/6d2f1a90-0000-4000-8000-000000000001.jsonl",
  },
];

/** One document each, rewritten on every change. */
export const DOCUMENT_SESSIONS: readonly RecordedSession[] = [
  {
    agent: "cline",
    home: "home",
    part: "1794957984752_94jzw",
    file: ".cline/data/sessions/1794957984752_94jzw/1794957984752_94jzw.messages.json",
  },
  {
    agent: "cn",
    home: "home",
    part: "6129953a",
    file: ".continue/sessions/6129953a-3704-4114-a619-c05405bd3be1.json",
  },
  {
    agent: "vscode",
    home: "home",
    part: "6d2f1a90-0000-4000-8000-000000000002",
    file: ".config/Code/User/workspaceStorage/3f1c0b7a9d2e4f5681a2b3c4d5e6f708/chatSessions/6d2f1a90-0000-4000-8000-000000000002.json",
  },
];

export const DATABASE_SESSIONS: readonly RecordedSession[] = [
  { agent: "hermes", home: "live-home", part: "state.db", file: ".hermes/state.db" },
  { agent: "opencode", home: "home-wal", part: "opencode.db", file: ".local/share/opencode/opencode.db" },
  {
    agent: "openclaw",
    home: "home",
    part: "agents/main/agent/openclaw-agent.sqlite",
    file: ".openclaw/agents/main/agent/openclaw-agent.sqlite",
  },
  { agent: "kilo", home: "home", part: "kilo.db", file: ".local/share/kilo/kilo.db" },
  { agent: "goose", home: "home", part: "sessions.db", file: ".local/share/goose/sessions/sessions.db" },
  { agent: "cursor", home: "home", part: "state.vscdb", file: ".config/Cursor/User/globalStorage/state.vscdb" },
];

/** Copies only this session's files and returns the path of the one to damage. */
export function putRecorded(home: string, session: RecordedSession): string {
  const from = join(fixturesOf(session.agent), session.home);
  for (const path of filesOf(session, from)) {
    const copy = join(home, relative(from, path));
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(path, copy, { preserveTimestamps: true });
  }
  return join(home, session.file);
}

const listed = new Map<RecordedSession, string[]>();

/** Recorded homes have thousands of files: each is listed once. */
function filesOf(session: RecordedSession, from: string): string[] {
  const files =
    listed.get(session) ??
    readdirSync(from, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => relative(from, path).includes(session.part));
  listed.set(session, files);
  return files;
}
