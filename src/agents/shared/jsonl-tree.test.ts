import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Json } from "../../lib/json/fields.ts";
import { ReadNotes } from "../read-notes.ts";
import { memoryRecords, openTree, summarizeTree, type TreeOptions } from "./jsonl-tree.ts";
import { madeHome } from "../../../test/support/agents/made-home.ts";
import { bytesHeldBy } from "../../../test/support/agents/memory.ts";
import { answer, at, entry, header, lines, toolResult, user } from "../../../test/support/agents/made-trees.ts";
import { fileRecords } from "./tree-file.ts";

function open(records: Json[], options: TreeOptions = {}) {
  return openTree(memoryRecords(records), new ReadNotes(), options)!;
}

function said(records: Json[], options: TreeOptions = {}): string[] {
  return [...open(records, options).messages()].map((message) => message.content);
}

/** a - b - c, and a second branch d - e from b. */
const FORKED = [
  header("forked"),
  user("a", null, 1, "first"),
  answer("b", "a", 2, "one", 100),
  user("c", "b", 3, "left"),
  user("d", "b", 4, "right"),
  answer("e", "d", 5, "two", 200),
];

describe("a session up to a message", () => {
  const upTo = (records: Json[], message: number): string[] =>
    [...open(records).copyUpTo(message)].map((line) => (JSON.parse(line) as { id: string }).id);

  it("is its header and the branch to there, without other branches", () => {
    expect(upTo(FORKED, 0)).toEqual(["forked", "a"]);
    expect(upTo(FORKED, 2)).toEqual(["forked", "a", "b", "d"]);
    expect(upTo(FORKED, 99)).toEqual(["forked", "a", "b", "d", "e"]);
  });

  it("can be read again: the same messages, and no more", () => {
    const cut = [...open(FORKED).copyUpTo(1)].map((line) => JSON.parse(line) as Json);
    expect(said(cut)).toEqual(["first", "one"]);
  });
});

describe("the active branch", () => {
  it("ends at the last entry of the file", () => {
    expect(said(FORKED)).toEqual(["first", "one", "right", "two"]);
  });

  it("follows a label back to an old branch, because the label is an entry", () => {
    expect(said([...FORKED, entry("label", "f", "c", 6, { targetId: "c", label: "keep" })])).toEqual([
      "first",
      "one",
      "left",
    ]);
  });

  it("restarts at a second root", () => {
    const records = [...FORKED, user("z", null, 7, "again from the start")];
    expect(said(records)).toEqual(["again from the start"]);
    const aside = open(records).aside!();
    expect(Array.from(aside.messages(), ({ content }) => content)).toEqual(["first", "one", "left", "right", "two"]);
    expect(aside.count).toBe(5);
  });

  it("keeps what is before an entry without a parent field", () => {
    const { parentId: _, ...severed } = FORKED[4]!;
    expect(said([...FORKED.slice(0, 4), severed, FORKED[5]!])).toEqual(["first", "one", "left", "right", "two"]);
  });

  it("continues with the previous entry when a parent is missing", () => {
    expect(said(FORKED.filter((record) => record["id"] !== "d"))).toEqual(["first", "one", "left", "two"]);
  });

  it("ends when parents form a ring", () => {
    expect(said([header("ring"), user("a", "b", 1, "x"), user("b", "a", 2, "y")])).toEqual(["x", "y"]);
  });

  it("takes the newest child at each fork where the documentation says so", () => {
    const records = [header("doc"), ...FORKED.slice(1, 3), ...FORKED.slice(4), FORKED[3]!];
    expect(said(records)).toEqual(["first", "one", "left"]);
    expect(said(records, { leaf: "newest" })).toEqual(["first", "one", "right", "two"]);
  });

  it("is the order of the lines in version 1, which has no ids", () => {
    const withoutIds = FORKED.map(({ id: _id, parentId: _parentId, version: _version, ...rest }) => rest);
    expect(said(withoutIds)).toEqual(["first", "one", "left", "right", "two"]);
  });

  it("follows OpenClaw's leaf records", () => {
    expect(said([...FORKED, entry("leaf", "l", "e", 6, { targetId: "c" })])).toEqual(["first", "one", "left"]);
  });
});

describe("reading from files", () => {
  const env = madeHome({
    "tree.jsonl": lines(FORKED),
    // A child before its parent: no agent writes that, but the format allows it.
    "shuffled.jsonl": lines([FORKED[0]!, FORKED[2]!, FORKED[4]!, FORKED[1]!, FORKED[3]!, FORKED[5]!]),
  });

  it("gives the same session as from memory", () => {
    const tree = openTree(fileRecords([join(env.home, "tree.jsonl")], new ReadNotes()), new ReadNotes())!;
    const same = open(FORKED);
    expect([...tree.messages()]).toEqual([...same.messages()]);
    expect([...tree.messages()]).toEqual([...same.messages()]);
    expect(tree.counts()).toEqual(same.counts());
    expect(tree.raw()).toEqual(FORKED);
  });

  it("finds entries in any order", () => {
    const tree = openTree(fileRecords([join(env.home, "shuffled.jsonl")], new ReadNotes()), new ReadNotes())!;
    expect([...tree.messages()].map((message) => message.content)).toEqual(["first", "one", "right", "two"]);
  });
});

describe("a long file", () => {
  it("is not kept in memory", () => {
    const records = Array.from({ length: 24 }, (_, index) => {
      const parent = index === 0 ? null : `e${index - 1}`;
      const text = `${index} ${"x".repeat(1_000_000)}`;
      return index % 2 === 0 ? user(`e${index}`, parent, index, text) : answer(`e${index}`, parent!, index, text, 10);
    });
    const env = madeHome({ "long.jsonl": lines([header("long"), ...records]) });
    const tree = () => openTree(fileRecords([join(env.home, "long.jsonl")], new ReadNotes()), new ReadNotes())!;
    expect(bytesHeldBy(tree)).toBeLessThan(2_000_000);
    expect([...tree().messages()]).toHaveLength(24);
  });
});

describe("messages", () => {
  const call = (id: string): Json => ({ type: "toolCall", id, name: "bash", arguments: { command: id } });

  it("joins parallel calls with results that come in another order", () => {
    const [reply] = [
      ...open([
        header("tools"),
        answer("a", "", 1, "", 5, { content: [call("x"), call("y")], stopReason: "toolUse" }),
        toolResult("b", "a", 2, "y", { durationMs: 7 }),
        toolResult("c", "b", 3, "x", { isError: true }),
      ]).messages(),
    ];
    expect(reply!.toolCalls).toEqual([
      { toolCallId: "x", toolName: "bash", input: { command: "x" }, output: "result of x", isError: true },
      { toolCallId: "y", toolName: "bash", input: { command: "y" }, output: "result of y", durationMs: 7 },
    ]);
  });

  it("measures a call from its start record, or from the answer when it is the only one", () => {
    const reply = answer("a", "", 1, "", 5, { content: [call("x")] });
    const start = { customType: "tool_execution_start", data: { toolCallId: "x", startedAt: at(2) } };
    const duration = (...more: Json[]): number | undefined =>
      [...open([header("times"), reply, ...more]).messages()][0]!.toolCalls![0]!.durationMs;
    expect(duration(toolResult("c", "a", 3, "x"))).toBe(120_000);
    expect(duration(entry("custom", "b", "a", 2, start), toolResult("c", "b", 3, "x"))).toBe(60_000);
  });

  it("leaves a call without output when its result never came", () => {
    const records = [
      header("killed"),
      answer("a", "", 1, "", 5, { content: [call("x")] }),
      user("b", "a", 2, "hello?"),
    ];
    const messages = [...open(records).messages()];
    expect(messages.map((message) => message.role)).toEqual(["assistant", "user"]);
    expect(messages[0]!.toolCalls).toEqual([{ toolCallId: "x", toolName: "bash", input: { command: "x" } }]);
  });

  it("shows notable entries as system messages and hides the context", () => {
    const shown = [
      entry("compaction", "c1", "u", 2, { summary: "so far", firstKeptEntryId: "u" }),
      entry("branch_summary", "c2", "c1", 3, { summary: "the other branch", fromId: "x" }),
      entry("custom_message", "c3", "c2", 4, { customType: "note", content: "from an extension", display: true }),
      entry("message", "c4", "c3", 5, { message: { role: "bashExecution", command: "ls", output: "a\n" } }),
      entry("reset_boundary", "c5", "c4", 6),
      answer("c6", "c5", 7, "par", 3, { stopReason: "aborted", errorMessage: "Operation aborted" }),
      answer("c7", "c6", 8, "", 0, { usage: {}, stopReason: "error", errorMessage: "529 overloaded" }),
    ];
    const hidden = [
      entry("custom_message", "h1", "c7", 9, { customType: "note", content: "for the model", display: false }),
      entry("message", "h2", "h1", 9, { message: { role: "system", content: "", sections: {} } }),
      entry("message", "h3", "h2", 9, { message: { role: "developer", content: "reminder" } }),
      entry("message", "h4", "h3", 9, { message: { role: "user", content: "Continue.", synthetic: true } }),
      entry("message", "h5", "h4", 9, { message: { role: "fileMention", files: [] } }),
      entry("custom", "h6", "h5", 9, { customType: "state", data: {} }),
      entry("context_edit", "h7", "h6", 9, { targetId: "c7", replacement: null }),
    ];
    const notes = new ReadNotes();
    const tree = openTree(memoryRecords([header("notices"), user("u", null, 1, "go"), ...shown, ...hidden]), notes)!;
    expect([...tree.messages()].map(({ role, content }) => `${role}: ${content}`)).toEqual([
      "user: go",
      "system: so far",
      "system: the other branch",
      "system: from an extension",
      "system: $ ls\na",
      "system: The conversation was cleared here.",
      "assistant: par",
      "system: Operation aborted",
      "system: 529 overloaded",
    ]);
    expect(notes.unknownTypes.size).toBe(0);
  });

  it("reads the extension messages of version 2", () => {
    const message = { role: "hookMessage", content: "from a hook", display: true };
    expect(
      said([header("v2", { version: 2 }), user("a", null, 1, "go"), entry("message", "b", "a", 2, { message })]),
    ).toEqual(["go", "from a hook"]);
  });

  it("counts types it does not know", () => {
    const notes = new ReadNotes();
    openTree(memoryRecords([...FORKED, entry("hologram", "h", "e", 6)]), notes);
    expect([...notes.unknownTypes]).toEqual([["hologram", 1]]);
  });
});

describe("usage", () => {
  const usageOf = (records: Json[], options: TreeOptions = {}) => [...open(records, options).usage()];

  it("counts every branch, though the conversation shows one", () => {
    const rewound = [...FORKED, user("z", null, 7, "again")];
    expect(usageOf(rewound).map((record) => record.tokens.output)).toEqual([100, 200]);
  });

  it("reports the dollars the agent wrote", () => {
    expect(usageOf(FORKED).map((record) => record.reportedMicroUsd)).toEqual([10_000, 20_000]);
  });

  it("counts compactions, summaries and sub-agent calls at the model in use on their branch", () => {
    const usage = { input: 7, output: 3, cost: { total: 0.5 } };
    const records = usageOf([
      ...FORKED,
      entry("model_change", "m", "e", 6, { provider: "openai", modelId: "gpt-5" }),
      entry("compaction", "x", "e", 7, { summary: "s", usage }),
      entry("branch_summary", "y", "m", 8, { summary: "s", usage }),
      entry("usage", "z", "y", 9, { kind: "cache_warm", provider: "openai", model: "gpt-5-mini", usage }),
    ]);
    expect(records.slice(2).map((record) => record.model)).toEqual(["claude-sonnet-4-5", "gpt-5", "gpt-5-mini"]);
    expect(records.slice(2).map((record) => record.reportedMicroUsd)).toEqual([500_000, 500_000, 500_000]);
  });

  it("does not bill a refused request, and bills an interrupted one as a lower bound", () => {
    const records = usageOf([
      ...FORKED,
      answer("f", "e", 6, "", 0, { usage: { input: 0, output: 0 }, stopReason: "error", errorMessage: "400" }),
      answer("g", "f", 7, "par", 1, { stopReason: "aborted" }),
    ]);
    expect(records.map((record) => record.lowerBound ?? false)).toEqual([false, false, true]);
  });

  it("says unknown where a reply has no counts", () => {
    const silent = answer("f", "e", 6, "three", 0, { usage: { input: 0, output: 0, cost: { total: 0 } } });
    const records = usageOf([...FORKED, silent]);
    expect(records.map((record) => record.unknown ?? false)).toEqual([false, false, true]);
    expect(records[2]!.reportedMicroUsd).toBeUndefined();
    const all = open([header("silent"), user("a", null, 1, "x"), { ...silent, parentId: "a" }]);
    expect([...all.usage()]).toEqual([]);
    expect(all.head.usageUnknown).toBe(true);
  });

  it("uses 0 dollars as the price of a local model, and as no price of a flat-rate provider", () => {
    const free = (provider: string): Json =>
      answer("f", "e", 6, "x", 5, { provider, usage: { input: 1, output: 5, cost: { total: 0 } } });
    expect(usageOf([...FORKED, free("local-llm")])[2]!.reportedMicroUsd).toBe(0);
    expect(usageOf([...FORKED, free("github-copilot")])[2]!.reportedMicroUsd).toBeUndefined();
  });

  it("keeps 1-hour cache writes, reasoning and web searches apart, in the terms of Pi and of omp", () => {
    const common = { input: 1, output: 9, cacheRead: 2, cacheWrite: 8 };
    const pi = answer("p", "e", 6, "x", 0, { usage: { ...common, cacheWrite1h: 6, reasoning: 4 } });
    const omp = answer("o", "p", 7, "x", 0, {
      usage: { ...common, cttl: { ephemeral5m: 2, ephemeral1h: 6 }, reasoningTokens: 4, server: { webSearch: 3 } },
    });
    const tokens = { input: 1, cached: 2, cacheWrite: 8, cacheWrite1h: 6, output: 9, thinking: 4 };
    const records = usageOf([...FORKED, pi, omp]).slice(2);
    expect(records.map((record) => record.tokens)).toEqual([tokens, tokens]);
    expect(records.map((record) => record.webSearches)).toEqual([undefined, 3]);
  });

  it("uses the counts of plain messages, as documented", () => {
    const usage = { inputTokens: 100, outputTokens: 20, thinkingTokens: 5, cachedTokens: 40 };
    const records = usageOf([
      { id: "1", role: "user", content: "q", timestamp: at(1) },
      { id: "2", parentId: "1", role: "assistant", content: "a", model: "m", usage, timestamp: at(2) },
    ]);
    expect(records).toMatchObject([{ model: "m", tokens: { input: 100, output: 20, thinking: 5, cached: 40 } }]);
    expect(records[0]!.unknown).toBeUndefined();
  });

  it("gives a copied request the key it has in the original, also after a migration from version 1", () => {
    const copy = FORKED.map((record) =>
      record["type"] === "session"
        ? header("copy", { parentSession: "/x/2026-11-15T10-00-00-000Z_forked.jsonl", timestamp: at(10) })
        : { ...record, id: `new-${String(record["id"])}`, parentId: record["parentId"] === null ? null : "new" },
    );
    const own = answer("own", "new-e", 11, "three", 300);
    const copied = usageOf([...copy, own]);
    expect(copied.map((record) => record.copied ?? false)).toEqual([true, true, false]);
    expect(copied.slice(0, 2).map((record) => record.key)).toEqual(usageOf(FORKED).map((record) => record.key));
    expect([...open([...copy, own]).messages()].map((message) => message.inherited ?? false)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it("does not merge two requests of a local server with the same response id", () => {
    const keys = usageOf([
      ...FORKED,
      answer("f", "e", 6, "x", 5, { responseId: "chatcmpl-1" }),
      answer("g", "f", 7, "x", 5, { responseId: "chatcmpl-1" }),
    ]).map((record) => record.key);
    expect(new Set(keys).size).toBe(4);
  });
});

describe("the head", () => {
  const titleOf = (more: Json[], slot?: Json): string =>
    summarizeTree([...(slot ? [slot] : []), header("t", { title: "from the header" }), ...more]).head.title;
  const slot = (title: string): Json => ({ type: "title", v: 1, title, pad: "   " });
  const prompt = user("a", null, 1, "the first question");

  it("is named by the last name in the file, on any branch", () => {
    const names = ["one", " two "].map((name, index) => entry("session_info", `n${index}`, "a", index, { name }));
    expect(summarizeTree([header("t"), prompt, ...names]).head.title).toBe("two");
    const cleared = entry("session_info", "n9", "a", 9, { name: "" });
    expect(summarizeTree([header("t"), prompt, ...names, cleared]).head.title).toBe("the first question");
  });

  it("is named by the slot before the header, and by the header while the slot is empty", () => {
    expect(titleOf([prompt])).toBe("from the header");
    expect(titleOf([prompt], slot("from the slot"))).toBe("from the slot");
    expect(titleOf([prompt], slot(""))).toBe("from the header");
    const emptied = entry("title_change", "c", "a", 2, { title: "", source: "user" });
    expect(titleOf([prompt, emptied], slot(""))).toBe("the first question");
  });

  it("has the whole of a title that the slot cuts", () => {
    const change = entry("title_change", "c", "a", 2, { title: "a long title that does not fit", source: "user" });
    expect(titleOf([prompt, change], slot("a long title"))).toBe("a long title that does not fit");
    expect(titleOf([prompt, change], slot("renamed later"))).toBe("renamed later");
  });

  it("is not named by files and images attached to the question", () => {
    const text = `<file name="/a.txt">\nlong\n</file>\n<file name="/b.txt"></file>\nWhat is this?`;
    expect(summarizeTree([header("t"), user("a", null, 1, text)]).head.title).toBe("What is this?");
  });

  it("names the model most used, the latest of equals, and the chosen one when none has answered", () => {
    const by = (id: string, parent: string, model: string): Json => answer(id, parent, 2, "x", 1, { model });
    const modelOf = (...more: Json[]) => summarizeTree([header("t"), prompt, ...more]).head.model;
    expect(modelOf(by("b", "a", "m1"), by("c", "b", "m2"), by("d", "c", "m1"))).toBe("m1");
    expect(modelOf(by("b", "a", "m1"), by("c", "b", "m2"))).toBe("m2");
    expect(modelOf(entry("model_change", "b", "a", 2, { model: "anthropic/claude-opus-4" }))).toBe("claude-opus-4");
    const snapshot = { customType: "model-snapshot", data: { provider: "openai", modelId: "gpt-5" } };
    expect(modelOf(entry("custom", "b", "a", 2, snapshot))).toBe("gpt-5");
    expect(modelOf(entry("custom", "b", "a", 2, { customType: "state", data: { modelId: "x" } }))).toBeUndefined();
  });

  it("shares a family key with its copies", () => {
    const copy = [header("copy", { timestamp: at(9) }), ...FORKED.slice(1, 3)];
    expect(summarizeTree(copy).head.familyKeys).toEqual(summarizeTree(FORKED).head.familyKeys);
  });
});
