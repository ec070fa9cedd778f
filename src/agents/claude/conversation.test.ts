import { describe, expect, it } from "vitest";
import { tempHome, type TempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import claude from "./index.ts";

const { history } = claude;
const ID = "11111111-2222-4333-8444-555555555555";
const FILE = `.claude/projects/-home-user-dev/${ID}.jsonl`;

const uuid = (n: number): string => `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`;

function user(n: number, parent: number | null, content: unknown, extra: Record<string, unknown> = {}) {
  return {
    type: "user",
    uuid: uuid(n),
    parentUuid: parent === null ? null : uuid(parent),
    sessionId: ID,
    timestamp: `2026-01-01T10:00:${String(n).padStart(2, "0")}Z`,
    message: { role: "user", content },
    ...extra,
  };
}

function says(n: number, parent: number, content: unknown, id = `msg_${n}`) {
  return {
    type: "assistant",
    uuid: uuid(n),
    parentUuid: uuid(parent),
    sessionId: ID,
    timestamp: `2026-01-01T10:00:${String(n).padStart(2, "0")}Z`,
    message: {
      id,
      role: "assistant",
      model: "claude-opus-5",
      stop_reason: "end_turn",
      content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    },
  };
}

function read(records: readonly object[], home: TempHome = tempHome()) {
  home.write(FILE, `${records.map((record) => JSON.stringify(record)).join("\n")}\n`);
  const env: AgentEnv = { home: home.path, platform: "linux", vars: {} };
  const notes = new ReadNotes();
  const source = history.listSessions(env, notes).find((candidate) => candidate.sessionId === ID)!;
  return { head: history.summarize(source, env, notes), reader: history.read(source, env, notes) };
}

function shown(records: readonly object[]): string[] {
  return [...read(records).reader!.messages()].map((message) => `${message.role}: ${message.content}`);
}

describe("a conversation", () => {
  it("keeps every message when its ids are counted instead of random", () => {
    const counted = (n: number | null): string | null =>
      n === null ? null : `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
    const records = Array.from({ length: 6000 }, (_, n) => ({
      ...(n % 2 === 0 ? user(0, null, `question ${n}`) : says(0, 0, `answer ${n}`, `msg_${n}`)),
      uuid: counted(n + 1),
      parentUuid: counted(n === 0 ? null : n),
    }));
    expect(shown(records)).toEqual(
      Array.from({ length: 6000 }, (_, n) => (n % 2 === 0 ? `user: question ${n}` : `assistant: answer ${n}`)),
    );
  });

  it("leaves out what the program injected, and never takes it as title", () => {
    const records = [
      user(1, null, "<local-command-caveat>Caveat: …</local-command-caveat>", { isMeta: true }),
      user(2, 1, "<command-name>/model</command-name>\n<command-message>model</command-message>"),
      user(3, 2, "<local-command-stdout>Set model to opus</local-command-stdout>"),
      user(4, 3, [
        { type: "text", text: "<system-reminder>be kind</system-reminder>" },
        { type: "text", text: "Fix the login" },
      ]),
      says(5, 4, "Done."),
    ];
    expect(shown(records)).toEqual(["user: Fix the login", "assistant: Done."]);
    expect(read(records).head!.title).toBe("Fix the login");
  });

  it.each([
    [
      "a slash command",
      "<command-message>plan is running…</command-message>\n<command-name>/plan</command-name>\n<command-args>a shop in Next.js</command-args>",
      "/plan a shop in Next.js",
    ],
    [
      "one named first",
      "<command-name>/plan</command-name>\n<command-message>plan</command-message>\n<command-args>a shop</command-args>",
      "/plan a shop",
    ],
    [
      "one without arguments",
      "<command-message>init is analyzing…</command-message>\n<command-name>/init</command-name>",
      "/init",
    ],
    [
      "an opened file",
      "<ide_opened_file>The user opened a.ts</ide_opened_file> Explain this file.",
      "Explain this file.",
    ],
    ["a reminder", "<system-reminder>be kind</system-reminder>\n\nExplain this file.", "Explain this file."],
    ["several blocks", "<ide_selection>x < y</ide_selection>\n<system-reminder>a</system-reminder>Explain", "Explain"],
  ])("keeps a prompt typed as or after %s", (_, content, prompt) => {
    for (const given of [content, [{ type: "text", text: content }]]) {
      const records = [user(1, null, given), says(2, 1, "Done.")];
      expect(shown(records)).toEqual([`user: ${prompt}`, "assistant: Done."]);
      const { head, reader } = read(records);
      expect([head!.title, reader!.head.title, reader!.counts!().turnCount]).toEqual([prompt, prompt, 1]);
    }
  });

  it("does not show a command that the program runs itself as a prompt", () => {
    const model =
      "<command-name>/model</command-name>\n            <command-message>model</command-message>\n            <command-args>sonnet</command-args>";
    expect(shown([user(1, null, model), user(2, 1, "Go"), says(3, 2, "Done.")])).toEqual([
      "user: Go",
      "assistant: Done.",
    ]);
  });

  it("does not show text that the program writes in the user's name as the user's", () => {
    const queued = {
      ...user(2, 1, ""),
      type: "attachment",
      attachment: {
        type: "queued_command",
        prompt: "<task-notification>done</task-notification>",
        commandMode: "prompt",
      },
    };
    const records = [
      user(1, null, "This session is being continued from a previous conversation that ran out of context."),
      queued,
      user(3, 2, "<local-command-result>ok</local-command-result>"),
      user(4, 3, "Stop hook feedback:\n- tests fail"),
      user(5, 4, "  "),
      user(6, 5, "Go"),
      says(7, 6, "Done."),
    ];
    expect(shown(records)).toEqual([
      "system: This session is being continued from a previous conversation that ran out of context.",
      "system: <task-notification>done</task-notification>",
      "user: Go",
      "assistant: Done.",
    ]);
    expect(read(records).head!.title).toBe("Go");
  });

  it("does not merge replies without a message id across turns", () => {
    const bare = (record: ReturnType<typeof says>) => {
      const { uuid: _, parentUuid: __, message, ...rest } = record;
      const { id: ___, ...said } = message;
      return { ...rest, message: { ...said, usage: { input_tokens: 1, output_tokens: 5 } } };
    };
    const prompt = (n: number, text: string) => {
      const { uuid: _, parentUuid: __, ...rest } = user(n, null, text);
      return rest;
    };
    const records = [prompt(1, "One"), bare(says(2, 1, "First.")), prompt(3, "Two"), bare(says(4, 3, "Second."))];
    expect(shown(records)).toEqual(["user: One", "assistant: First.", "user: Two", "assistant: Second."]);
    expect([...read(records).reader!.usage()].map(({ tokens }) => tokens.output)).toEqual([5, 5]);
  });

  it("lists a call once that appears in two records of a reply", () => {
    const call = (n: number, parent: number) =>
      says(n, parent, [{ type: "tool_use", id: "a", name: "Read", input: {} }], "msg_calls");
    const [, reply] = [...read([user(1, null, "Go"), call(2, 1), call(3, 2)]).reader!.messages()];
    expect(reply!.toolCalls).toHaveLength(1);
  });

  it("shows summaries, interruptions and errors as system messages", () => {
    const records = [
      user(1, null, "Go"),
      { ...says(2, 1, "API Error: 500"), isApiErrorMessage: true },
      user(3, 2, [{ type: "text", text: "[Request interrupted by user]" }]),
      user(4, 3, "This session is being continued from a previous conversation", { isCompactSummary: true }),
    ];
    expect(shown(records)).toEqual([
      "user: Go",
      "system: API Error: 500",
      "system: [Request interrupted by user]",
      "system: This session is being continued from a previous conversation",
    ]);
  });

  it("shows a prompt that was typed while the agent was busy", () => {
    const queued = {
      ...user(2, 1, ""),
      type: "attachment",
      attachment: { type: "queued_command", prompt: "Also the tests", commandMode: "prompt" },
    };
    expect(shown([user(1, null, "Go"), queued, says(3, 2, "Both done.")])).toEqual([
      "user: Go",
      "user: Also the tests",
      "assistant: Both done.",
    ]);
  });

  it("includes what came before a compaction", () => {
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      uuid: uuid(3),
      parentUuid: null,
      logicalParentUuid: uuid(2),
      sessionId: ID,
      timestamp: "2026-01-01T10:00:03Z",
    };
    expect(
      shown([user(1, null, "Go"), says(2, 1, "Done."), boundary, user(4, 3, "And now?"), says(5, 4, "Nothing.")]),
    ).toEqual(["user: Go", "assistant: Done.", "user: And now?", "assistant: Nothing."]);
  });

  it("leaves out what a rewind undid", () => {
    expect(
      shown([
        user(1, null, "Go"),
        says(2, 1, "One."),
        user(3, 2, "Wrong way"),
        says(4, 3, "Hm."),
        user(5, 2, "Right way"),
        says(6, 5, "Yes."),
      ]),
    ).toEqual(["user: Go", "assistant: One.", "user: Right way", "assistant: Yes."]);
  });

  it("reports other beginnings, and what a rewind undid, beside the conversation", () => {
    const { reader } = read([
      user(1, null, "Go"),
      says(2, 1, "One."),
      user(3, null, "Anew"),
      says(4, 3, "Hm."),
      user(5, 3, "Right way"),
    ]);
    expect(Array.from(reader!.messages(), ({ content }) => content)).toEqual(["Anew", "Right way"]);
    const aside = reader!.aside!();
    expect(aside.count).toBe(3);
    expect(Array.from(aside.messages(), ({ content }) => content)).toEqual(["Go", "One.", "Hm."]);
  });

  it("keeps the results of parallel calls, which hang off the main line", () => {
    const call = (n: number, parent: number, id: string) =>
      says(n, parent, [{ type: "tool_use", id, name: "Read", input: {} }], "msg_calls");
    const result = (n: number, parent: number, id: string) =>
      user(n, parent, [{ type: "tool_result", tool_use_id: id, content: `result of ${id}` }]);
    const records = [
      user(1, null, "Go"),
      call(2, 1, "a"),
      call(3, 2, "b"),
      result(4, 2, "a"),
      result(5, 3, "b"),
      says(6, 5, "Done."),
    ];
    const messages = [...read(records).reader!.messages()];
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect(messages[1]!.toolCalls!.map((each) => [each.toolCallId, each.output, each.durationMs])).toEqual([
      ["a", "result of a", 2000],
      ["b", "result of b", 2000],
    ]);
  });

  it("without messages is not a session", () => {
    const { head, reader } = read([
      { type: "mode", mode: "normal", sessionId: ID },
      user(1, null, "<command-name>/clear</command-name>"),
    ]);
    expect(head).toBeUndefined();
    expect(reader).toBeUndefined();
  });
});

describe("a title", () => {
  it("is the last name the user gave, else the last one the program made, else the first prompt", () => {
    const base = [user(1, null, "Fix the login"), says(2, 1, "Done.")];
    const ai = { type: "ai-title", aiTitle: "Login fix", sessionId: ID };
    const custom = (title: string) => ({ type: "custom-title", customTitle: title, sessionId: ID });
    expect(read(base).head!.title).toBe("Fix the login");
    expect(read([ai, ...base]).head!.title).toBe("Login fix");
    expect(read([custom("one"), ...base, custom("two"), ai]).head!.title).toBe("two");
  });

  it("may be in a file beside the transcript", () => {
    const home = tempHome();
    home.write(FILE.replace(".jsonl", "/custom-title.json"), '{"customTitle":"from the side"}');
    expect(read([user(1, null, "Fix the login")], home).head!.title).toBe("from the side");
  });

  it("is cut to a hundred characters on one line, without control characters or colours", () => {
    const title = read([user(1, null, `a\u001b[31mred\n\n${"verylong".repeat(60)}`)]).head!.title;
    expect(title).toHaveLength(100);
    expect(title.startsWith("ared verylongvery")).toBe(true);
    expect(title.endsWith("…")).toBe(true);
  });
});

describe("a fork of a compacted session", () => {
  it("finds the parent that holds its first record in the middle", () => {
    const home = tempHome();
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      uuid: uuid(3),
      parentUuid: null,
      logicalParentUuid: uuid(2),
      sessionId: ID,
      timestamp: "2026-01-01T10:00:03Z",
    };
    const parent = "99999999-2222-4333-8444-555555555555";
    const whole = [
      user(1, null, "Go"),
      says(2, 1, "Done."),
      boundary,
      user(4, 3, "Summary", { isCompactSummary: true }),
    ];
    home.write(FILE.replace(ID, parent), `${whole.map((record) => JSON.stringify(record)).join("\n")}\n`);
    expect(read([...whole.slice(2), user(5, 4, "Other way"), says(6, 5, "Yes.")], home).head!.forkedFrom).toBe(parent);
  });
});
