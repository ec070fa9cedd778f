import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { titleFrom } from "../../lib/text/text.ts";
import { conformance, treeHash } from "../../../test/support/agents/conformance.ts";
import { sumOf, tokensTold, withoutProvider } from "../../../test/support/agents/recorded-trees.ts";
import openclaw from "./index.ts";
import {
  FIXTURES,
  openHome,
  RECORDED_HOMES,
  RECORDED_SESSIONS,
  type OpenedHome,
} from "../../../test/support/agents/openclaw-homes.ts";

const homes = new Map<string, OpenedHome>();
for (const { home } of RECORDED_HOMES) homes.set(home, openHome(join(FIXTURES, home)));

describe.each(RECORDED_HOMES)("$home", ({ home, usage }) => {
  const opened = homes.get(home)!;

  it("lists the recorded sessions and nothing else", () => {
    const expected = RECORDED_SESSIONS.filter((session) => session.home === home).map(({ id }) => id);
    expect(opened.ids).toEqual(expected.sort());
    expect(opened.notes.skipped).toEqual([]);
  });

  it("bills what all transcripts say, copies once", () => {
    const records = opened.ids.flatMap((id) => [...opened.read(id).usage()]);
    expect(new Set(records.map(({ key }) => key)).size).toBe(records.length);
    const { input, output, cacheRead, cacheWrite } = sumOf(records);
    expect({ input, output, cacheRead, cacheWrite }).toEqual(usage);
  });
});

/** Turns that OpenClaw starts itself are recorded as `user`, but no user wrote them. */
const OWN_TURN = "[OpenClaw heartbeat poll]";
const spoken = (prompt: string): string => prompt.replace(/^\[\w{3} [-\d]{10} [:\d]{5} UTC\] /, "");

/** How a request that failed at once is recorded; 2026.5.7 fills in a text because the API needs one. */
const NO_ANSWER = new Set(["[]", '[{"type":"text","text":"[assistant turn failed before producing content]"}]']);

describe.each(RECORDED_SESSIONS)("$home $id", ({ home, id, label, archived, expected, indexedMessages }) => {
  const opened = homes.get(home)!;
  const reader = opened.read(id);
  const messages = [...reader.messages()];
  const raw = reader.raw() as { message?: { role?: string; errorMessage?: string; content?: unknown } }[];
  const failed = raw.filter(({ message }) => message?.errorMessage !== undefined);
  const refused = failed.filter(({ message }) => NO_ANSWER.has(JSON.stringify(message?.content)));
  const { activeBranch, wholeTree, header, entryTypes } = expected;
  const count = (role: string): number => messages.filter((message) => message.role === role).length;
  const ownTurns = activeBranch.userPrompts.filter((prompt) => prompt === OWN_TURN).length;

  it("shows the typed and answered text", () => {
    const said = activeBranch.userPrompts.filter((prompt) => prompt !== OWN_TURN).map(spoken);
    expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(said);
  });

  it("has one message for each reply, tool result and notice", () => {
    expect({ assistant: count("assistant"), tool: count("tool"), system: count("system") }).toEqual({
      assistant: activeBranch.messages.assistant - refused.length,
      tool: activeBranch.messages.toolResult,
      system: failed.length + ownTurns + (entryTypes["compaction"] ?? 0),
    });
  });

  if (indexedMessages !== undefined) {
    it("shows as many messages as OpenClaw's own index has on the branch", () => {
      const errorsBesideReplies = failed.length - refused.length;
      const summaries = entryTypes["compaction"] ?? 0;
      expect(messages.length - errorsBesideReplies - summaries).toBe(indexedMessages);
    });
  }

  it("joins each tool call with its result", () => {
    const calls = messages.flatMap((message) => message.toolCalls ?? []);
    expect(calls.map((call) => call.toolName)).toEqual(activeBranch.tools);
    const unanswered = calls.filter((call) => call.output === undefined).map((call) => call.toolName);
    expect(unanswered).toEqual(activeBranch.unansweredToolCalls);
    const answers = messages.flatMap(({ toolResult }) => (toolResult ? [toolResult.toolCallId] : []));
    expect(answers.sort()).toEqual(calls.map((call) => call.toolCallId).sort());
  });

  it("has model and tokens of each reply", () => {
    const models = new Set(messages.filter(({ role }) => role === "assistant").map(({ model }) => model));
    expect([...models].sort()).toEqual(activeBranch.models.map(withoutProvider).sort());
    const { input, output, cacheRead, cacheWrite, reasoning } = activeBranch.usageAssistant;
    expect(tokensTold(messages)).toEqual({ input, output, cacheRead, cacheWrite, reasoning });
  });

  it("bills every branch with the dollars OpenClaw wrote", () => {
    const { input, output, cacheRead, cacheWrite, reasoning, costUsd } = wholeTree.usageAll;
    const { costUsd: reported, ...tokens } = sumOf(reader.usage());
    expect(tokens).toEqual({ input, output, cacheRead, cacheWrite, reasoning });
    expect(reported).toBeCloseTo(costUsd, 9);
    expect([...reader.usage()].every((record) => record.reportedMicroUsd !== undefined)).toBe(true);
  });

  it("has the same title, directory, model and dates in a list and in full", () => {
    const { title, cwd, createdMs, updatedMs, model } = reader.head;
    expect({ title, cwd, createdMs, updatedMs, archived: reader.head.archived ?? false }).toEqual({
      title: label ?? titleFrom(spoken(expected.firstPrompt)),
      cwd: header.cwd,
      createdMs: Date.parse(header.timestamp),
      updatedMs: Date.parse(expected.lastEntryAt),
      archived,
    });
    expect(wholeTree.models.map(withoutProvider)).toContain(model);
    expect(opened.head(id)).toEqual(reader.head);
  });

  it("keeps every record in raw", () => {
    expect(raw).toHaveLength(expected.entries + 1);
    expect(raw[0]).toMatchObject({ type: "session", id });
  });
});

describe("a session of two models", () => {
  it("is listed under the one that answered last when both answered as often", () => {
    expect(homes.get("home")!.head("84fb698f-1f6e-420c-a279-1bb97ca2cbcf").model).toBe("qwen3-coder-30b");
  });
});

describe("a rewound session", () => {
  const id = "40debdc8-f23d-4f2a-a603-3e4fa007775d";
  const opened = homes.get("home")!;

  it("shows the branch that was continued", () => {
    const said = opened.messages(id).map(({ content }) => content);
    expect(said).toEqual([
      "Name the two functions of cart.js",
      "`addItem` and `total`.",
      "And which one is pure?",
      "`total` is pure.",
    ]);
    expect(opened.messages(id).some(({ inherited }) => inherited)).toBe(false);
  });

  it("bills the undone answer, and is not listed a second time", () => {
    expect([...opened.read(id).usage()].map(({ tokens }) => tokens.output)).toEqual([19, 29, 31]);
    expect(opened.ids).not.toContain("a628db0f-4403-4df9-91c2-ebd738325236");
  });
});

describe("counts beside the transcript", () => {
  it("are of the last run only and are not used", () => {
    // The entry of this session says 127 in, 29 out.
    const { input, output } = sumOf(homes.get("home-2026.5.7")!.read("c839e6a3-e699-427d-9425-95d18a82d63a").usage());
    expect({ input, output }).toEqual({ input: 3467, output: 313 });
  });
});

describe("resuming a session", () => {
  const resume = (home: string, id: string): string[] | undefined => {
    const opened = homes.get(home)!;
    return openclaw.launch.resume(
      id,
      opened.sources.find(({ sessionId }) => sessionId === id)!,
    );
  };

  it("names its key, because a session id is part of it only when the user chose it", () => {
    expect(resume("home", "demo-1")).toEqual(["openclaw", "resume", "agent:main:explicit:demo-1"]);
    const main = "57e95e85-24bb-46c3-b281-08e19c2cfacf";
    expect(resume("home", main)).toEqual(["openclaw", "resume", "agent:main:main"]);
    const inFiles = "c839e6a3-e699-427d-9425-95d18a82d63a";
    expect(resume("home-2026.5.7", inFiles)).toEqual(["openclaw", "resume", "agent:main:main"]);
  });

  it("is not possible without a key: reset or deleted sessions, transcripts without an entry", () => {
    const { sources } = openHome(join(FIXTURES, "home-archives"));
    const possible = sources.filter((source) => openclaw.launch.resume(source.sessionId, source) !== undefined);
    expect(possible.map(({ path }) => path.endsWith(".jsonl"))).toEqual(possible.map(() => true));
    const impossible = sources.filter((source) => !possible.includes(source)).map(({ sessionId }) => sessionId);
    expect(impossible).toEqual(expect.arrayContaining(["demo-1.deleted.2026-11-15T03-00-00.000Z"]));
    expect(possible.map(({ sessionId }) => sessionId)).toContain("c839e6a3-e699-427d-9425-95d18a82d63a");
  });
});

describe("reading", () => {
  it("leaves every file of every home unchanged", () => {
    const before = treeHash(FIXTURES);
    for (const home of ["home", "home-2026.5.7", "home-clawdbot", "home-archives", "home-documented"]) {
      const { env, notes, sources } = openHome(join(FIXTURES, home));
      for (const source of sources) {
        if (openclaw.history.summarize(source, env, notes) === undefined) continue;
        const reader = openclaw.history.read(source, env, notes)!;
        expect([...reader.messages()].length).toBeGreaterThan(0);
        expect([...reader.usage()]).toBeDefined();
      }
    }
    expect(treeHash(FIXTURES)).toBe(before);
  });
});

conformance(openclaw, { home: join(FIXTURES, "home"), sessions: 13 });
conformance(openclaw, { home: join(FIXTURES, "home-2026.5.7"), sessions: 9 });
conformance(openclaw, { home: join(FIXTURES, "home-clawdbot"), sessions: 8 });
conformance(openclaw, { home: join(FIXTURES, "home-archives"), sessions: 12 });
conformance(openclaw, { home: join(FIXTURES, "home-documented"), sessions: 2 });
