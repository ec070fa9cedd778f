/** A renamed field of an agent is a change in its `format.ts` only. */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it } from "vitest";
import { tempHome } from "../support/temp-home.ts";
import type { AgentAdapter, AgentEnv } from "../../src/agents/adapter.ts";
import { tallyOf } from "../../src/agents/in-memory.ts";
import { ReadNotes } from "../../src/agents/read-notes.ts";

const SOURCES = join(import.meta.dirname, "../../src");

/** By agent, fields that its reader depends on. */
const FIELDS: Record<string, string[]> = {
  claude: ["parentUuid", "isSidechain", "tool_use_id", "gitBranch", "output_tokens"],
  gemini: ["toolCalls", "thoughts", "functionResponse", "startTime", "tokens"],
  pi: ["parentId", "toolCallId", "stopReason", "cacheRead", "responseId"],
  copilot: ["toolRequests", "outputTokens", "toolName", "cacheReadTokens", "copilotVersion"],
  opencode: ["callID"],
  cursor: ["toolName"],
  kimi: ["toolCallId", "stepUuid", "inputOther", "modelAlias", "parentUuid"],
  qwen: ["parentUuid", "functionResponse", "usageMetadata", "systemPayload", "timestamp"],
  omp: ["toolCallId", "stopReason", "cacheRead", "responseId", "parentSession"],
  droid: ["tool_use_id", "modelId", "outputTokens", "parent", "timestamp"],
  grok: ["toolCallId", "sessionUpdate", "rawInput", "cachedReadTokens"],
  cline: ["tool_use_id", "modelInfo", "inputTokens", "started_at", "ended_at"],
  cn: ["toolCallStates", "toolCallId", "prompt_tokens", "workspaceDirectory", "conversationSummary"],
  vscode: ["creationDate", "invocationMessage", "toolSpecificData"],
  codex: ["call_id", "cached_input_tokens", "output_tokens", "cwd", "last_token_usage"],
};

it.each(Object.entries(FIELDS))(
  "fields of %s with other names are read when its format.ts lists them",
  async (agent, fields) => {
    const home = join(tempHome().path, "home");
    cpSync(join(SOURCES, "agents", agent, "fixtures/home"), home, { recursive: true, preserveTimestamps: true });
    const present = await adapterIn(SOURCES, agent);
    const expected = [...saidBy(present, home)];
    for (const field of fields) {
      rename(home, `"${field}":`, `"${otherName(field)}":`);
      // Otherwise the field's name would not matter at all.
      expect(saysOther(present, home, expected), field).toBe(true);
      rename(home, `"${otherName(field)}":`, `"${field}":`);
    }
    const sources = copyOfSources(agent);
    for (const field of fields) {
      rename(home, `"${field}":`, `"${otherName(field)}":`);
      for (const folder of [agent, "shared"])
        rename(join(sources, "agents", folder), `"${field}"`, `"${otherName(field)}"`, /^(?:\w+-)?format.*\.ts$/);
    }
    expect([...saidBy(await adapterIn(sources, agent), home)]).toEqual(expected);
  },
);

/** By agent, a table column that its reader depends on. */
const COLUMNS: Record<string, { home: string; databases: string[]; table: string; column: string }> = {
  copilot: {
    home: "home",
    databases: [".copilot/session-store.db"],
    table: "assistant_usage_events",
    column: "input_tokens",
  },
  opencode: { home: "home", databases: [".local/share/opencode/opencode.db"], table: "part", column: "message_id" },
  goose: {
    home: "home",
    databases: [".local/share/goose/sessions/sessions.db"],
    table: "messages",
    column: "content_json",
  },
  hermes: { home: "live-home", databases: [".hermes/state.db"], table: "messages", column: "tool_call_id" },
  openclaw: {
    home: "home",
    databases: ["main", "ops"].map((name) => `.openclaw/agents/${name}/agent/openclaw-agent.sqlite`),
    table: "transcript_events",
    column: "event_json",
  },
};

it.each(Object.entries(COLUMNS))(
  "a column of %s with another name is read when its format files list it",
  async (agent, { home: fixture, databases, table, column }) => {
    const home = join(tempHome().path, "home");
    cpSync(join(SOURCES, "agents", agent, "fixtures", fixture), home, { recursive: true, preserveTimestamps: true });
    const present = await adapterIn(SOURCES, agent);
    const expected = [...saidBy(present, home)];
    for (const database of databases) {
      const opened = new DatabaseSync(join(home, database));
      opened.exec(`ALTER TABLE ${table} RENAME COLUMN ${column} TO ${otherName(column)}`);
      opened.close();
    }
    expect(() => expect([...saidBy(present, home)]).toEqual(expected)).toThrow();
    const sources = copyOfSources(agent);
    for (const folder of [agent, "shared"])
      rename(join(sources, "agents", folder), new RegExp(`\\b${column}\\b`, "g"), otherName(column), /^format.*\.ts$/);
    expect([...saidBy(await adapterIn(sources, agent), home)]).toEqual(expected);
  },
);

/** Files that read something else than stored sessions: an agent's streams, its hooks, settings. Each is the only reader. */
const OTHER_FORMATS = [
  /(?:^|\/)(?:events|hook-events|hooks|run)\.ts$/,
  /^claude\/(?:account|dialogue|process-state|run-usage|status-line)\.ts$/,
  /^pi\/locations\.ts$/,
  /^shared\/(?:acp|approval-event|event-assembler|extension-events|hook-reports|tool-facts|tree-events)\.ts$/,
  /^shared\/opencode\/plugin-settings\.ts$/,
];
/** Formats that several agents share. */
const SHARED_FORMATS = /^shared\/(?:documented-tables|pictures)\.ts$/;

it("no other file names a field of a stored session", () => {
  const field = /(?:\b(?!vars\b)[a-z]\w*(?:\?\.)?|\)\?\.)\["\w+"\]|\bSELECT /;
  const agents = join(SOURCES, "agents");
  const named = readdirSync(agents, { recursive: true, encoding: "utf8" })
    .filter((file) => file.includes("/") && file.endsWith(".ts") && !/\.test\.ts$|fixtures\//.test(file))
    .filter((file) => !/(?:^|\/)(?:\w+-)?format[\w-]*\.ts$/.test(file) && !SHARED_FORMATS.test(file))
    .filter((file) => !OTHER_FORMATS.some((pattern) => pattern.test(file)))
    .flatMap((file) =>
      readFileSync(join(agents, file), "utf8")
        .split("\n")
        .filter((line) => field.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(named).toEqual([]);
});

/** The same length: the ends of a file are measured in bytes. */
function otherName(field: string): string {
  return [...field].reverse().join("");
}

async function adapterIn(sources: string, agent: string): Promise<AgentAdapter> {
  const path = pathToFileURL(join(sources, "agents", agent, "index.ts")).href;
  return ((await import(/* @vite-ignore */ path)) as { default: AgentAdapter }).default;
}

/** Copies the sources of the agent and `shared`, and links all others. */
function copyOfSources(agent: string): string {
  const copy = join(tempHome().path, "src");
  mkdirSync(join(copy, "agents"), { recursive: true });
  for (const name of readdirSync(SOURCES)) if (name !== "agents") symlinkSync(join(SOURCES, name), join(copy, name));
  for (const name of readdirSync(join(SOURCES, "agents"))) {
    const [from, to] = [join(SOURCES, "agents", name), join(copy, "agents", name)];
    if (name === agent || name === "shared")
      cpSync(from, to, { recursive: true, filter: (path) => !path.includes("fixtures") });
    else symlinkSync(from, to);
  }
  return copy;
}

function rename(directory: string, from: string | RegExp, to: string, names = /./): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !names.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const before = readFileSync(path, "latin1");
    const after = before.replaceAll(from, to);
    if (after === before) continue;
    const { atime, mtime } = statSync(path);
    writeFileSync(path, after, "latin1");
    // Some sessions take their date from their files.
    utimesSync(path, atime, mtime);
  }
}

/** Reads no further than the first session that differs. */
function saysOther(adapter: AgentAdapter, home: string, expected: unknown[]): boolean {
  let count = 0;
  for (const said of saidBy(adapter, home)) if (!isDeepStrictEqual(said, expected[count++])) return true;
  return count !== expected.length;
}

/** Everything read from a home: heads, messages, bills, sub-agents. */
function* saidBy({ history }: AgentAdapter, home: string): Generator<unknown> {
  const env: AgentEnv = { home, platform: "linux", vars: {} };
  const notes = new ReadNotes();
  for (const source of history!.listSessions(env, notes)) {
    const reader = history!.read(source, env, notes);
    yield {
      id: source.sessionId,
      head: history!.summarize(source, env, notes),
      ...(reader && { tally: tallyOf(reader), messages: [...reader.messages()], subagents: reader.subagents?.() }),
    };
  }
}
