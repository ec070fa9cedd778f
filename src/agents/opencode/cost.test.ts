import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TokenCounts } from "../../core/cost.ts";
import {
  envOf,
  FIXTURES,
  list,
  open,
  T0,
  MadeHome,
  V1_TABLES,
  Writer,
} from "../../../test/support/agents/opencode-store.ts";

let home: MadeHome;
let write: Writer;
let close: () => void;

beforeEach(() => {
  home = new MadeHome();
  const database = home.database();
  database.exec(V1_TABLES);
  write = new Writer(database);
  close = () => database.close();
});

afterEach(() => close());

function counts(tokens: Partial<TokenCounts>): TokenCounts {
  return { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0, ...tokens };
}

/** The usage record of a session with this one reply. */
function usageOfReply(data: object): unknown {
  write.session("ses_a", T0);
  write.reply("msg_1", "ses_a", T0 + 1, "answer", data);
  return open(home.env, "ses_a").usage;
}

describe("a cost of 0", () => {
  const tokens = { total: 120, input: 100, output: 20, reasoning: 0, cache: { read: 0, write: 0 } };

  it("is not reported as a price, because subscriptions write it too", () => {
    expect(usageOfReply({ cost: 0, tokens })).toEqual([
      { key: "msg_1", at: T0 + 1, model: "sonnet", tokens: counts({ input: 100, output: 20 }) },
    ]);
  });

  it("is left to the price table for a model that is free only by configuration", () => {
    const { usage } = open(envOf(join(FIXTURES, "home")), "ses_ec090fb5dffeoLbvvichydyVtN");
    expect(usage.map(({ model, reportedMicroUsd }) => ({ model, reportedMicroUsd }))).toEqual([
      { model: "free-mock", reportedMicroUsd: undefined },
      { model: "free-mock", reportedMicroUsd: undefined },
    ]);
  });

  it.each(["kimi-k2.5-free", "deepseek/deepseek-r1:free"])("is a price when the name says so: %s", (modelID) => {
    expect(usageOfReply({ cost: 0, tokens, modelID })).toMatchObject([{ reportedMicroUsd: 0 }]);
  });
});

describe("token counts", () => {
  it.each([
    ["1.18, reasoning apart", 145, counts({ input: 100, cached: 5, cacheWrite: 10, output: 30, thinking: 10 })],
    [
      "1.1, reasoning inside the output",
      135,
      counts({ input: 100, cached: 5, cacheWrite: 10, output: 20, thinking: 10 }),
    ],
  ])("are distinguished by their total: %s", (_version, total, expected) => {
    const tokens = { total, input: 100, output: 20, reasoning: 10, cache: { read: 5, write: 10 } };
    expect(usageOfReply({ tokens })).toMatchObject([{ tokens: expected }]);
  });

  it("without a total hold cache reads inside the input", () => {
    const tokens = { input: 100, output: 20, reasoning: 5, cache: { read: 60, write: 0 } };
    expect(usageOfReply({ tokens, modelID: "gpt-5", providerID: "openai" })).toMatchObject([
      { tokens: counts({ input: 40, cached: 60, output: 20, thinking: 5 }) },
    ]);
  });

  it("without a total hold fresh input only when they come from Anthropic", () => {
    const tokens = { input: 100, output: 20, reasoning: 0, cache: { read: 60, write: 0 } };
    expect(usageOfReply({ tokens, modelID: "claude-sonnet-4", providerID: "anthropic" })).toMatchObject([
      { tokens: counts({ input: 100, cached: 60, output: 20 }) },
    ]);
  });

  it("that are not counts are 0", () => {
    const tokens = { total: "x", input: -5, output: 1e300, reasoning: null, cache: [] };
    expect(usageOfReply({ cost: 0.5, tokens })).toMatchObject([{ tokens: counts({}), reportedMicroUsd: 500_000 }]);
  });

  it("of the steps of one message are each billed, not the last one only", () => {
    const { usage } = open(envOf(join(FIXTURES, "home-0.5.29")), "ses_0004927ddffeWAbcqCtzAM4KJ4");
    expect(
      usage.map(({ key, tokens, reportedMicroUsd }) => [key.slice(-2), tokens.input, tokens.cached, reportedMicroUsd]),
    ).toEqual([
      ["#1", 5100, 0, expect.closeTo(15_855)],
      ["#2", 300, 5000, expect.closeTo(17_715)],
      ["#3", 300, 5200, expect.closeTo(18_240)],
      ["tu", 100, 5500, expect.closeTo(7797.5)],
    ]);
  });

  it("of a step count when OpenCode died before it wrote them to the message", () => {
    write.session("ses_a", T0);
    const tokens = { total: 12, input: 10, output: 2, reasoning: 0, cache: { read: 0, write: 0 } };
    const message = { role: "assistant", modelID: "sonnet", cost: 0, time: { created: T0 + 1 } };
    write.message(
      "msg_1",
      "ses_a",
      T0 + 1,
      message,
      { type: "text", text: "a" },
      { type: "step-finish", cost: 0.2, tokens },
    );
    expect(open(home.env, "ses_a").usage).toMatchObject([
      { key: "msg_1", tokens: counts({ input: 10, output: 2 }), reportedMicroUsd: 200_000 },
    ]);
  });
});

describe("calls without counts", () => {
  const none = { cost: 0, tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } } };

  it("that were cut off after they began to answer have an unknown cost", () => {
    const aborted = { ...none, error: { name: "MessageAbortedError", data: { message: "aborted" } } };
    expect(usageOfReply(aborted)).toMatchObject([{ lowerBound: true, tokens: counts({}) }]);
    const { messages } = open(home.env, "ses_a");
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["assistant", "answer"],
      ["system", "Interrupted"],
    ]);
  });

  it("that failed before they answered cost nothing", () => {
    write.session("ses_a", T0);
    const failed = { role: "assistant", ...none, error: { name: "APIError", data: { message: "overloaded" } } };
    write.message("msg_1", "ses_a", T0 + 1, failed);
    const { messages, usage } = open(home.env, "ses_a");
    expect(usage).toEqual([]);
    expect(messages).toMatchObject([{ role: "system", content: "APIError: overloaded" }]);
  });

  it("that were shell commands of the user cost nothing", () => {
    write.session("ses_a", T0);
    const state = { status: "completed", input: { command: "ls" }, output: "src", time: { start: T0, end: T0 + 40 } };
    write.message(
      "msg_1",
      "ses_a",
      T0 + 1,
      { role: "user" },
      { type: "text", text: "The following tool was executed by the user", synthetic: true },
    );
    write.message(
      "msg_2",
      "ses_a",
      T0 + 2,
      { role: "assistant", ...none },
      { type: "tool", tool: "bash", callID: "c1", state },
    );
    const { messages, usage } = open(home.env, "ses_a");
    expect(usage).toEqual([]);
    expect(messages.map((message) => message.role)).toEqual(["assistant", "tool"]);
    expect(messages[0]?.toolCalls).toEqual([
      { toolCallId: "c1", toolName: "bash", input: { command: "ls" }, output: "src", durationMs: 40 },
    ]);
  });
});

describe("undone messages", () => {
  it("are hidden and still billed", () => {
    const { messages, usage } = open(envOf(join(FIXTURES, "home")), "ses_eb6ccaa69ffe6OW3VNOQbeSlAO");
    expect(messages.map(({ content }) => content)).toEqual(["Say alpha.", "alpha"]);
    expect(usage).toHaveLength(2);
  });

  it("are billed from the event log when the next prompt has deleted them", () => {
    const { messages, usage } = open(envOf(join(FIXTURES, "home")), "ses_ecbb94a71ffeAkDAqbC24IaBED");
    expect(messages.some(({ content }) => content.includes("negative quantities"))).toBe(false);
    expect(usage.find(({ key }) => key === "msg_13446e37c001JY92XH9sxx4qVY")).toMatchObject({
      tokens: counts({ input: 8900, output: 8 }),
      reportedMicroUsd: expect.closeTo(26_820),
    });
  });

  it("are cut at a part when only the end of an answer was undone", () => {
    write.session("ses_a", T0, { revert: JSON.stringify({ messageID: "msg_2", partID: "prt_000000000002" }) });
    write.prompt("msg_1", "ses_a", T0 + 1, "go");
    write.message(
      "msg_2",
      "ses_a",
      T0 + 2,
      { role: "assistant" },
      { type: "text", text: "kept" },
      { type: "text", text: "gone" },
    );
    write.prompt("msg_3", "ses_a", T0 + 3, "gone too");
    expect(open(home.env, "ses_a").messages.map(({ content }) => content)).toEqual(["go", "kept"]);
  });
});

describe("forks", () => {
  /** A session with two forks, and a fork of a fork; each continues by one turn. */
  function family(): void {
    const turn = (session: string, id: string, at: number): void => {
      write.prompt(`${id}u`, session, at, `prompt ${at - T0}`);
      write.reply(`${id}a`, session, at + 10, `answer ${at - T0}`);
    };
    write.session("ses_root", T0, { title: "T" });
    turn("ses_root", "r1", T0 + 100);
    write.session("ses_fork", T0 + 1000, { title: "T (fork #1)" });
    turn("ses_fork", "f1", T0 + 100);
    turn("ses_fork", "f2", T0 + 1100);
    write.session("ses_deep", T0 + 2000, { title: "T (fork #2)" });
    turn("ses_deep", "d1", T0 + 100);
    turn("ses_deep", "d2", T0 + 1100);
    turn("ses_deep", "d3", T0 + 2100);
    write.session("ses_twin", T0 + 3000, { title: "T (fork #1)" });
    turn("ses_twin", "t1", T0 + 100);
    turn("ses_twin", "t2", T0 + 3100);
  }

  it("are found by content, title and time, and billed for their own requests only", () => {
    family();
    const seen = (id: string): unknown => {
      const { head, messages, usage } = open(home.env, id);
      const own = messages.filter((message) => message.inherited !== true).map(({ content }) => content);
      return [head.forkedFrom, own, usage.map(({ key, copied }) => (copied === true ? `copy of ${key}` : key))];
    };
    expect(seen("ses_root")).toEqual([undefined, ["prompt 100", "answer 100"], ["r1a"]]);
    expect(seen("ses_fork")).toEqual(["ses_root", ["prompt 1100", "answer 1100"], ["copy of r1a", "f2a"]]);
    expect(seen("ses_deep")).toEqual([
      "ses_fork",
      ["prompt 2100", "answer 2100"],
      ["copy of r1a", "copy of f2a", "d3a"],
    ]);
    expect(seen("ses_twin")).toEqual(["ses_root", ["prompt 3100", "answer 3100"], ["copy of r1a", "t2a"]]);
  });

  it("share a family key with their source", () => {
    family();
    const keys = [...list(home.env).keys()].map((id) => open(home.env, id).head.familyKeys);
    expect(new Set(keys.map(String)).size).toBe(1);
  });

  it("of a deleted session give the copied requests one key", () => {
    family();
    const database = home.database();
    database.exec("DELETE FROM message WHERE session_id = 'ses_root'; DELETE FROM session WHERE id = 'ses_root'");
    database.close();
    const lost = (id: string): unknown => open(home.env, id).usage.find(({ copied }) => copied === true)?.key;
    expect(lost("ses_fork")).toBe(lost("ses_twin"));
    expect(open(home.env, "ses_fork").head.forkedFrom).toBeUndefined();
  });

  it("are not assumed where only the clock was set back", () => {
    write.session("ses_a", T0 + 1000, { title: "Plain" });
    write.prompt("msg_1", "ses_a", T0, "hello");
    write.reply("msg_2", "ses_a", T0 + 1, "hi");
    const { head, messages, usage } = open(home.env, "ses_a");
    expect(head.forkedFrom).toBeUndefined();
    expect(messages.some(({ inherited }) => inherited)).toBe(false);
    expect(usage).toMatchObject([{ key: "msg_2" }]);
    expect(usage[0]).not.toHaveProperty("copied");
  });

  it("are found in the JSON files too", () => {
    const { head, messages, usage } = open(envOf(join(FIXTURES, "home-1.1.65")), "ses_f5f5a63fbffelpmh6XQQ1uRtLv");
    expect(head.forkedFrom).toBe("ses_f5fc83f4cffe7z1SLZ7GkKXiT9");
    expect(messages.filter(({ inherited }) => inherited !== true).map(({ content }) => content)).toEqual([
      "Fork and go on.",
      "Forked.",
    ]);
    expect(usage.map(({ key, copied }) => [key, copied])).toEqual([
      ["msg_0a037c1d5001ZUfdDtshSrSS2p", true],
      ["msg_0a037c37d001P0TQLDMxTPLB2N", true],
      ["msg_0a0a59d3b001hCX0dIv4guEq5i", undefined],
    ]);
  });
});

describe("child sessions", () => {
  it("are sessions of their own with a parent, and not in the parent's bill", () => {
    const env = envOf(join(FIXTURES, "home"));
    const child = open(env, "ses_ee50b4d66ffe7YoWb2oqhbJMR0");
    const parent = open(env, "ses_ee50b5936ffe2VitRYYPw256sY");
    expect(child.head).toMatchObject({ parentId: parent.source.sessionId });
    expect(child.head).not.toHaveProperty("forkedFrom");
    const keys = new Set(parent.usage.map(({ key }) => key));
    expect(child.usage.some(({ key }) => keys.has(key))).toBe(false);
  });
});

describe("a database and the files it was made from", () => {
  it("list a session once, with the same request keys in both", () => {
    home.copy("home-1.1.65-to-1.2.27", "both");
    home.copy("home-1.1.65-to-1.2.27/.local/share/opencode/storage", "files/.local/share/opencode/storage");
    const both = envOf(join(home.path, "both"));
    const files = envOf(join(home.path, "files"));
    expect(list(both).size).toBe(4);
    expect(list(files).size).toBe(3);
    for (const id of list(files).keys()) {
      const [fromDatabase, fromFiles] = [open(both, id), open(files, id)];
      expect(fromDatabase.source.path).toMatch(/opencode\.db$/);
      expect(fromFiles.usage).toEqual(fromDatabase.usage);
      expect(fromFiles.messages).toEqual(fromDatabase.messages);
      expect(fromFiles.head).toEqual(fromDatabase.head);
    }
  });
});
