import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { askRunner } from "../../src/client/runner-http.ts";
import { ShimClient } from "../../src/client/shim-client.ts";
import { tempHome } from "../support/temp-home.ts";

const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");
const HOME = join(import.meta.dirname, "../../src/agents/claude/fixtures/home");

interface Answer {
  id: number | null;
  result?: { content?: { text: string }[]; isError?: boolean } & Record<string, unknown>;
  error?: { code: number; message: string };
}

async function talk(
  lines: readonly (object | string)[],
  vars: Record<string, string> = {},
  ...options: string[]
): Promise<Answer[]> {
  const child = spawn(process.execPath, [AMUX, "mcp", ...options], {
    env: { PATH: process.env["PATH"], HOME, AMUX_HOME: tempHome().path, TZ: "UTC", ...vars },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin.end(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  await new Promise((resolve) => child.on("close", resolve));
  const answers = output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer);
  return answers.sort((a, b) => (a.id ?? -1) - (b.id ?? -1));
}

const call = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
const told = (answer: Answer | undefined): unknown => JSON.parse(answer!.result!.content![0]!.text);

it("lists itself and its tools, all of which only read", async () => {
  const answers = await talk([
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-03-26", capabilities: {} } },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
    { jsonrpc: "2.0", id: 3, method: "ping" },
  ]);
  expect(answers).toHaveLength(3);
  expect(answers[0]!.result).toMatchObject({ protocolVersion: "2025-03-26", serverInfo: { name: "amux" } });
  const tools = answers[1]!.result!["tools"] as { name: string; annotations: object }[];
  expect(tools.map(({ name }) => name)).toEqual([
    "search_sessions",
    "list_sessions",
    "read_session",
    "cost",
    "changes",
    "blame",
    "live_sessions",
    "read_terminal",
  ]);
  expect(tools.every(({ annotations }) => JSON.stringify(annotations) === '{"readOnlyHint":true}')).toBe(true);
});

it("finds, lists, reads within a budget, and prices", async () => {
  const session = "claude:dfb61421-d08a-4f49-8f45-e72d5dab1652";
  const [search, list, read, on, cost] = await talk([
    call(1, "search_sessions", { query: "health" }),
    call(2, "list_sessions", { agent: "claude", limit: 2 }),
    call(3, "read_session", { session, max_tokens: 100 }),
    call(4, "read_session", { session, from: 3, max_tokens: 100_000 }),
    call(5, "cost", { group_by: "model" }),
  ]);
  expect((told(search) as { sessions: { session: string }[] }).sessions.map((hit) => hit.session)).toContain(session);
  expect((told(list) as { sessions: object[] }).sessions).toHaveLength(2);
  const first = told(read) as { messages: { content: string }[]; next: number; messageCount: number };
  expect(first.messages.map(({ content }) => content.length).reduce((a, b) => a + b)).toBeLessThanOrEqual(400);
  expect(first.next).toBeGreaterThan(0);
  const rest = told(on) as { messages: { index: number }[]; messageCount: number };
  expect(rest.messages[0]!.index).toBe(3);
  expect(rest.messages).toHaveLength(first.messageCount - 3);
  expect(told(cost)).toMatchObject({
    totalUsd: expect.any(Number),
    groups: expect.arrayContaining([expect.objectContaining({ key: "claude-opus-5-5" })]),
  });
});

/** Of English: at least four characters. */
const tokensOf = (answer: Answer | undefined): number => answer!.result!.content![0]!.text.length / 4;

it("keeps every answer within its tokens, by default and as asked", async () => {
  const home = tempHome();
  const line = (at: number): string =>
    JSON.stringify({
      type: "user",
      uuid: `u${at}`,
      timestamp: "2026-11-01T10:00:00.000Z",
      cwd: `/home/ada/${"deep/".repeat(20)}${at}`,
      sessionId: `s${at}`,
      message: { role: "user", content: `marmalade ${"toast and tea ".repeat(200)}` },
    });
  for (let at = 0; at < 60; at++) home.write(`.claude/projects/p/s${at}.jsonl`, `${`${line(at)}\n`.repeat(5)}`);
  const [search, wide, list, read, cost, live] = await talk(
    [
      call(1, "search_sessions", { query: "marmalade", limit: 60 }),
      call(2, "search_sessions", { query: "marmalade", limit: 60, max_tokens: 6000 }),
      call(3, "list_sessions", { limit: 60 }),
      call(4, "read_session", { session: "claude:s1", max_tokens: 1000 }),
      call(5, "cost", { group_by: "day" }),
      call(6, "live_sessions", {}),
    ],
    { HOME: home.path },
  );
  expect(tokensOf(search)).toBeLessThanOrEqual(1500);
  const { sessions, omitted } = told(search) as { sessions: object[]; omitted: number };
  expect(sessions.length).toBeGreaterThan(2);
  expect(sessions.length + omitted).toBe(60);
  expect(tokensOf(wide)).toBeGreaterThan(1500);
  expect(tokensOf(wide)).toBeLessThanOrEqual(6000);
  for (const answer of [list, cost, live]) expect(tokensOf(answer)).toBeLessThanOrEqual(1500);
  // Its heading, too.
  expect(tokensOf(read)).toBeLessThanOrEqual(1200);
});

it("omits the calling session", async () => {
  const id = "dfb61421-d08a-4f49-8f45-e72d5dab1652";
  const vars = { CLAUDE_CODE_SESSION_ID: id };
  const [search, list, read] = await talk(
    [
      call(1, "search_sessions", { query: "health", limit: 50 }),
      call(2, "list_sessions", { agent: "claude", limit: 500 }),
      call(3, "read_session", { session: `claude:${id}` }),
    ],
    vars,
  );
  expect(JSON.stringify([told(search), told(list)])).not.toContain(`"claude:${id}"`);
  expect(read!.result).toMatchObject({ isError: true, content: [{ text: "This is the calling session." }] });
});

it("shows what runs, and types into it only with permission", async () => {
  const home = tempHome().path;
  const client = new ShimClient({ home });
  onTestFinished(async () => {
    for (const id of await client.list()) await client.kill(id);
  });
  const spec = { command: ["cat"], cwd: home };
  const composer = [process.execPath, join(import.meta.dirname, "../status/support/composer.mjs"), "120"];
  const own = await client.spawn(spec);
  const other = await client.spawn({ ...spec, command: composer, kind: "claude", resume_key: "abc" });
  await talk([call(1, "wait", { session: other, what: "for shortcuts" })], { AMUX_HOME: home }, "--write");
  const vars = { AMUX_HOME: home, AMUX_SESSION_ID: own };
  const send = call(2, "send", { session: other, text: "hello from a colleague" });
  const [live, refused] = await talk([call(1, "live_sessions", {}), send], vars);
  expect(told(live)).toMatchObject({ sessions: [{ session: other, kind: "claude", conversation: "claude:abc" }] });
  expect(refused!.error?.message).toBe("There is no tool send.");
  const [sent, itself] = await talk([send, call(3, "send", { session: own, text: "me" })], vars, "--write");
  expect(told(sent)).toMatchObject({ receipt: "delivered" });
  expect(itself!.result).toMatchObject({ isError: true, content: [{ text: "This is the calling session." }] });
  const [waited] = await talk([call(1, "wait", { session: other, what: "colleague" })], vars, "--write");
  expect(told(waited)).toEqual({ reached: true });
  // By the source that just reported work: a hook's question so soon after that would be doubted.
  const asks = { state: "permission", message: "May I?", source: "agent" };
  const { socket } = client.files(other);
  await askRunner(socket, { method: "POST", path: "/hook", body: JSON.stringify(asks) });
  const [asking] = await talk([send], vars, "--write");
  expect(asking!.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("May I?") }] });
  const [read] = await talk([call(1, "read_terminal", { session: other, max_tokens: 3 })], vars);
  expect((told(read) as { text: string }).text).toHaveLength(9);
});

it("answers mistakes and continues", async () => {
  const answers = await talk([
    "{torn",
    "[]",
    call(1, "no_such_tool", {}),
    call(2, "read_session", { session: "claude:nope" }),
    { jsonrpc: "2.0", id: 3, method: "resources/list" },
    { jsonrpc: "2.0", id: 4, method: "ping" },
  ]);
  expect(answers.map(({ id, error, result }) => [id, error?.code ?? (result?.isError ? "tool" : "ok")])).toEqual([
    [null, -32700],
    [null, -32600],
    [1, -32602],
    [2, "tool"],
    [3, -32601],
    [4, "ok"],
  ]);
});

it("reports wrong arguments instead of guessing, and types nothing", async () => {
  const home = tempHome().path;
  const client = new ShimClient({ home });
  onTestFinished(async () => {
    for (const id of await client.list()) await client.kill(id);
  });
  const session = await client.spawn({ command: ["sh", "-c", "read line; echo pressed; read end"], cwd: home });
  const asked: [string, object, string][] = [
    ["search_sessions", {}, "query is missing: a text (words, or a quoted phrase)."],
    ["search_sessions", { text: "health" }, "query is missing: a text (words, or a quoted phrase)."],
    ["search_sessions", { query: 5 }, "query must be a text (words, or a quoted phrase)."],
    [
      "search_sessions",
      { query: "health", limit: "5" },
      "limit must be a whole number from 0 up (at most this many sessions).",
    ],
    ["search_sessions", { query: "health", agent: "cluade" }, 'Unknown agent "cluade"'],
    ["list_sessions", { dir: "/" }, "There is no argument dir, only agent, since, cwd, limit, max_tokens."],
    ["cost", { group_by: "week" }, "group_by must be one of agent, model, day."],
    ["live_sessions", { all: true }, "There is no argument all, only max_tokens."],
    ["send", { session }, "text is missing: a text (the message)."],
    ["wait", { session, for: "ever" }, "for must be one of idle, exit, text, regex."],
  ];
  const lines = asked.map(([name, args], index) => call(index, name, args));
  const answers = await talk(
    [...lines, { ...call(99, "cost", {}), params: { name: "cost", arguments: [1] } }],
    { AMUX_HOME: home },
    "--write",
  );
  for (const [index, [name, , message]] of asked.entries()) {
    expect(answers[index]!.result?.isError, name).toBe(true);
    expect(answers[index]!.result!.content![0]!.text).toContain(message);
  }
  expect(answers.at(-1)!.result).toMatchObject({ isError: true });
  const [read] = await talk([call(1, "read_terminal", { session })], { AMUX_HOME: home });
  expect((told(read) as { text: string }).text).not.toContain("pressed");
});

it("finds the requested number besides the calling session", async () => {
  const query = { query: "routes", limit: 1 };
  const [first] = await talk([call(1, "search_sessions", query)]);
  const { session } = (told(first) as { sessions: [{ session: string }] }).sessions[0];
  const vars = { CLAUDE_CODE_SESSION_ID: session.replace("claude:", "") };
  const [second] = await talk([call(1, "search_sessions", query)], vars);
  const another = expect.objectContaining({ session: expect.not.stringMatching(session) as string }) as object;
  expect(told(second)).toEqual({ sessions: [another] });
});
