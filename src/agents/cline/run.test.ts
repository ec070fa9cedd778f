import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import type { Json } from "../../lib/json/fields.ts";
import type { PreparedRun, RunContext, RunRequest } from "../run-support.ts";
import { run } from "./run.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const REQUEST: RunRequest = {
  prompt: "List the files.",
  cwd: "/home/user/dev/shop-web",
  session: { kind: "new" },
  attachments: [],
  mcpServers: [],
  asks: true,
  streams: true,
  converses: true,
};
const path = (name: string) => join(STREAMS, `${name}.jsonl`);
const prepare = (request: Partial<RunRequest> = {}) =>
  run.prepare({ ...REQUEST, ...request }, { now: () => 0 } as RunContext);
const events = (name: string, request: Partial<RunRequest> = {}) => replay(prepare(request).stream, path(name));
const RESUMED = { session: { kind: "resume", id: "1794974213000_x_cli" } } as const;

streamConformance(
  "Cline",
  readdirSync(STREAMS)
    .filter((name) => name !== "resumed.jsonl")
    .map((name) => ({ name, path: join(STREAMS, name) })),
  () => prepare().stream,
);
streamConformance("Cline", [{ name: "resumed", path: path("resumed") }], () => prepare(RESUMED).stream);

function said(text: string): Json[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);
}

/** The stream after it has opened its session, and what it sends for further lines. */
function opened(request: Partial<RunRequest> = {}): PreparedRun["stream"] & { told: (record: Json) => Json[] } {
  const { stream } = prepare(request);
  stream.line(JSON.stringify({ jsonrpc: "2.0", id: "open", result: { sessionId: "s1" } }));
  const told = (record: Json): Json[] => {
    stream.replies!();
    stream.line(JSON.stringify({ jsonrpc: "2.0", ...record }));
    const replies = stream.replies!();
    return replies === "" ? [] : said(replies);
  };
  return { ...stream, told };
}

describe("a turn", () => {
  it("tells its text, thinking, tools and their failures", () => {
    const told = essence(events("tools"));
    expect(told.map(({ type }) => type)).toEqual([
      ...["session_start", "turn_start", "message_stop"],
      ...["tool_call_ready", "approval_request", "tool_call_ready", "approval_request", "tool_result", "tool_error"],
      ...["thinking_stop", "tool_call_ready", "approval_request", "tool_result"],
      ...["tool_call_ready", "shell_start", "approval_request", "tool_error", "shell_exit"],
      ...["message_stop", "turn_end"],
    ]);
    expect(told.find(({ type }) => type === "shell_start")).toMatchObject({ command: "ls src; exit 3" });
    expect(told.findLast(({ type }) => type === "tool_error")).toMatchObject({ error: "Command exited with code 3" });
  });

  it("gives a refused call one end, with the reason", () => {
    const failed = events("denied").filter(({ type }) => type === "tool_error");
    expect(failed).toEqual([
      expect.objectContaining({ error: expect.stringContaining("User rejected the tool call") as string }),
    ]);
  });

  it("leaves out the messages of a resumed session", () => {
    const told = essence(events("resumed", RESUMED));
    expect(told.filter(({ type }) => type === "message_stop" || type === "thinking_stop")).toEqual([
      { type: "message_stop", text: "Nothing." },
    ]);
    expect(told[0]).toMatchObject({ type: "session_start", resumed: true, sessionId: RESUMED.session.id });
  });

  it("fails when the request was refused, also when Cline does not say so", () => {
    const failure = (name: string) => events(name).find(({ type }) => type === "error");
    expect(failure("refused-told")).toMatchObject({ message: "The request was refused." });
    expect(failure("refused")).toMatchObject({ message: "The agent ended its turn without an answer." });
    expect(failure("cancelled")).toBeUndefined();
  });

  it("says how to sign in", () => {
    const { stream } = prepare();
    const error = { code: -32_000, message: "Authentication required: Call authenticate before starting a session" };
    const told = stream.line(JSON.stringify({ jsonrpc: "2.0", id: "open", error }));
    expect(told.map(({ type }) => type)).toEqual(["turn_start", "auth_error", "turn_end"]);
    expect(told[1]).toMatchObject({ guidance: run.credentials.guidance });
  });
});

describe("what is sent", () => {
  it("opens a session, or loads one", () => {
    expect(said(prepare().stdin!).map(({ method }) => method)).toEqual(["initialize", "session/new"]);
    expect(said(prepare(RESUMED).stdin!)[1]).toMatchObject({
      method: "session/load",
      params: { sessionId: RESUMED.session.id },
    });
  });

  it("chooses the model before it sends the prompt", () => {
    const { stream } = prepare({ model: "opus" });
    stream.line(JSON.stringify({ jsonrpc: "2.0", id: "open", result: { sessionId: "s1" } }));
    expect(said(stream.replies!())).toMatchObject([{ method: "session/set_model", params: { modelId: "opus" } }]);
    stream.line(JSON.stringify({ jsonrpc: "2.0", id: "model", result: {} }));
    expect(said(stream.replies!())).toMatchObject([{ method: "session/prompt" }]);
  });

  it("keeps a prompt that comes during a turn until its end", () => {
    const stream = opened();
    expect(stream.prompt!("Stop that.")).toBe("");
    expect(stream.told({ id: "prompt", result: { stopReason: "end_turn" } })).toMatchObject([
      { method: "session/prompt", params: { prompt: [{ type: "text", text: "Stop that." }] } },
    ]);
  });

  it("cancels questions together with the turn", () => {
    const stream = opened();
    stream.told({ id: 4, method: "session/request_permission", params: { toolCall: {}, options: [] } });
    expect(said(stream.interrupt!())).toMatchObject([
      { method: "session/cancel", params: { sessionId: "s1" } },
      { id: 4, result: { outcome: { outcome: "cancelled" } } },
    ]);
    expect(stream.answer!("permission-4", { type: "approve" })).toBeUndefined();
  });

  it("refuses a request that we do not know, so that the program does not wait", () => {
    expect(opened().told({ id: 5, method: "fs/read_text_file", params: { path: "/etc/passwd" } })).toMatchObject([
      { id: 5, error: { code: -32_601 } },
    ]);
  });
});
