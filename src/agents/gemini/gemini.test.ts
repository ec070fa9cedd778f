import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionMessage } from "../../core/session.ts";
import type { AgentEnv, SessionReader, SessionSource } from "../adapter.ts";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { ReadNotes } from "../read-notes.ts";
import gemini from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

interface Tokens {
  input: number;
  cachedInput: number;
  output: number;
  thinking: number;
}

interface RecordedSession {
  scenario: string;
  sessionId: string;
  home: string;
  files: string[];
  stubFiles: string[];
  expected: {
    firstPrompt: string;
    userPromptsSent: string[];
    userPromptsVisible?: string[];
    replyTexts: string[];
    models: string[];
    modelReplies: number;
    tokensServed: Tokens;
    cwd: string;
    title: string | null;
    startTime: string;
    parentSessionId?: string;
  };
  recorded: { modelCallsRecorded: number; toolCallsRecorded: [string, string][] };
}

const manifest = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  sessions: RecordedSession[];
  homes: { path: string; expected?: { prompts: string[] } }[];
  synthetic: {
    path: string;
    sessionId: string;
    expected: { user: number; assistant: number; tokens: { input: number; output: number } };
  }[];
};

function envOf(home: string): AgentEnv {
  return { home: join(FIXTURES, home), platform: "linux", vars: {} };
}

function open(
  home: string,
  sessionId: string,
  notes = new ReadNotes(),
): { source: SessionSource; reader: SessionReader } {
  const env = envOf(home);
  const source = gemini.history.listSessions(env, notes).find((item) => item.sessionId === sessionId);
  if (source === undefined) throw new Error(`${sessionId} is not listed in ${home}`);
  const reader = gemini.history.read(source, env, notes);
  if (reader === undefined) throw new Error(`${sessionId} has no conversation`);
  return { source, reader };
}

function billed(reader: SessionReader): Tokens {
  const sum: Tokens = { input: 0, cachedInput: 0, output: 0, thinking: 0 };
  for (const { tokens } of reader.usage()) {
    // The manifest counts the whole prompt as input, and only the visible answer as output.
    sum.input += tokens.input + tokens.cached + tokens.cacheWrite;
    sum.cachedInput += tokens.cached;
    sum.output += tokens.output - tokens.thinking;
    sum.thinking += tokens.thinking;
  }
  return sum;
}

function contents(messages: Iterable<SessionMessage>, role: string): string[] {
  return [...messages].filter((message) => message.role === role).map((message) => message.content);
}

/** Rewound and cancelled turns, which the program's own list no longer shows. */
const UNDONE_REPLIES: Record<string, { replies: number; texts: string[]; calls: number }> = {
  "g07-interactive": { replies: 2, texts: ["You could test negative quantities."], calls: 1 },
};

describe("the recorded sessions", () => {
  for (const { scenario, sessionId, home, expected, recorded } of manifest.sessions) {
    const undone = UNDONE_REPLIES[scenario] ?? { replies: 0, texts: [], calls: 0 };

    it(`${scenario} ${sessionId.slice(0, 8)} shows the conversation as it was left`, () => {
      const messages = [...open(home, sessionId).reader.messages()];
      expect(contents(messages, "user")).toEqual(expected.userPromptsVisible ?? expected.userPromptsSent);
      expect(contents(messages, "user")[0]).toBe(expected.firstPrompt);
      const replies = messages.filter((message) => message.role === "assistant");
      expect(replies).toHaveLength(expected.modelReplies - undone.replies);
      const texts = replies.map((reply) => reply.content.slice(0, 60)).filter((text) => text !== "");
      expect(texts).toEqual(expected.replyTexts.filter((text) => !undone.texts.includes(text)));
      expect([...new Set(replies.map((reply) => reply.model))].sort()).toEqual([...expected.models].sort());
      const calls = replies.flatMap((reply) => reply.toolCalls ?? []);
      const known = recorded.toolCallsRecorded.slice(0, recorded.toolCallsRecorded.length - undone.calls);
      expect(calls.map((call) => [call.toolName, call.isError ? "error" : "success"])).toEqual(known);
      const results = messages.flatMap((message) => message.toolResult?.toolCallId ?? []);
      expect(results).toEqual(calls.map((call) => call.toolCallId));
    });

    it(`${scenario} ${sessionId.slice(0, 8)} bills every reply that was served`, () => {
      const { reader } = open(home, sessionId);
      const { input, cachedInput, output, thinking } = expected.tokensServed;
      expect(billed(reader)).toEqual({ input, cachedInput, output, thinking });
      const usage = [...reader.usage()];
      expect(usage).toHaveLength(recorded.modelCallsRecorded);
      expect(new Set(usage.map((record) => record.model))).toEqual(new Set(expected.models));
      expect(usage.every((record) => record.at !== undefined && record.copied !== true)).toBe(true);
    });

    it(`${scenario} ${sessionId.slice(0, 8)} has its title, directory, dates and parent`, () => {
      const { head } = open(home, sessionId).reader;
      expect(head.title).toBe(expected.title ?? expected.firstPrompt);
      expect(head.cwd).toBe(expected.cwd);
      expect(head.createdMs).toBe(Date.parse(expected.startTime));
      expect(head.updatedMs).toBeGreaterThanOrEqual(head.createdMs!);
      expect(head.parentId).toBe(expected.parentSessionId);
      expect(expected.models).toContain(head.model);
      expect(head.usageUnknown).toBeUndefined();
    });
  }

  it("join a session and the stubs its resumes left", () => {
    for (const { home, sessionId, files, stubFiles } of manifest.sessions) {
      const { source } = open(home, sessionId);
      expect(source.path).toBe(join(FIXTURES, files[0]!));
      const all = [...files, ...stubFiles].map((file) => join(FIXTURES, file));
      expect(source.files.map((file) => file.path).sort()).toEqual(all.sort());
    }
  });

  it("name the most used model, and the latest of equally used ones", () => {
    expect(open("home-0.33.2", "530549be-a6b9-4f31-a7b6-edf9c5a808ed").reader.head.model).toBe("gemini-2.5-pro");
    expect(open("home", "e5b542d9-dd58-4aa1-ba93-21ed50d4527a").reader.head.model).toBe("gemini-2.5-pro");
  });

  it("keep what a compression summarised and show the summary after it", () => {
    const { reader } = open("home", "894f1069-b420-435a-890f-abfe3fb13514");
    const messages = [...reader.messages()];
    expect(messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "system",
      "user",
      "assistant",
    ]);
    expect(messages[4]!.content).toMatch(/^<state_snapshot>/);
  });

  it("give a history that was recorded again its first times, models and counts", () => {
    const messages = [...open("home", "46df7cbd-4383-43d6-a798-be28410d7eba").reader.messages()];
    expect(messages.map((message) => message.timestamp?.toISOString())).toEqual([
      "2026-10-13T08:00:05.726Z",
      "2026-10-13T08:00:06.051Z",
      "2026-10-13T08:00:06.889Z",
      "2026-10-13T08:00:07.018Z",
      "2026-10-13T08:00:08.547Z",
      "2026-10-13T08:00:08.596Z",
      "2026-10-13T08:00:20.690Z",
      "2026-10-13T08:00:20.727Z",
    ]);
    const replies = messages.filter((message) => message.role === "assistant");
    expect(replies.map((reply) => reply.tokenUsage?.inputTokens)).toEqual([7411, 7450, 7700, 7850]);
    expect(replies[1]!.thinking).toBe("**Running the tests** Use node --test.");
  });

  it("give each of two calls made at once its own result", () => {
    const messages = [...open("home", "c92f2b49-7904-4341-941c-63a7874d04ab").reader.messages()];
    const reply = messages.find((message) => message.toolCalls?.length === 2)!;
    const [edit, shell] = reply.toolCalls!;
    expect(edit!.output).toMatch(/^Successfully modified file/);
    expect(shell!.output).toContain("TAP version 13");
    expect(messages.filter((message) => message.toolResult?.toolCallId === shell!.toolCallId)).toHaveLength(1);
  });

  it("return the native records of all branches", () => {
    const raw = open("home", "46df7cbd-4383-43d6-a798-be28410d7eba").reader.raw() as unknown[];
    expect(raw).toHaveLength(48);
    expect(raw[39]).toEqual({ $rewindTo: "52d0df7e-795c-4815-bb2e-46d471390b07" });
  });
});

describe("a session of 0.2.2", () => {
  const ID = "e7b67810-3bd7-4123-85ce-64885612d778";
  const { prompts } = manifest.homes.find((home) => home.path === "home-0.2.2")!.expected!;

  it("is the history it saved, with the times of the log", () => {
    const messages = [...open("home-0.2.2", ID).reader.messages()];
    expect(contents(messages, "user")).toEqual(prompts);
    expect(messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(messages[2]!.timestamp).toEqual(new Date("2026-08-20T10:00:13.063Z"));
    expect(messages[3]!.toolCalls).toEqual([
      {
        toolCallId: "read_file-1787220013270-8c96dacb4425e",
        toolName: "read_file",
        input: {
          file_path: "/home/user/dev/shop-web/src/cart.js",
          absolute_path: "/home/user/dev/shop-web/src/cart.js",
        },
        output: messages[4]!.content,
      },
    ]);
  });

  it("has an unknown cost and a directory found by its hash", () => {
    const { head, usage } = open("home-0.2.2", ID).reader;
    expect(head).toEqual({
      title: "Hello old friend.",
      createdMs: Date.parse("2026-08-20T10:00:10.932Z"),
      updatedMs: Date.parse("2026-08-20T10:00:19.079Z"),
      startedMs: Date.parse("2026-08-20T10:00:10.932Z"),
      cwd: "/home/user/dev/shop-web",
      usageUnknown: true,
    });
    expect([...usage()]).toEqual([]);
  });
});

describe("the documented layout", () => {
  const { path, sessionId, expected } = manifest.synthetic[0]!;

  it("reads role model as the assistant and the API's token names", () => {
    const { reader } = open(`${path}/home`, sessionId);
    const messages = [...reader.messages()];
    expect(contents(messages, "user")).toHaveLength(expected.user);
    expect(contents(messages, "assistant")).toEqual(["Spec shaped answer."]);
    const [record, ...others] = reader.usage();
    expect(others).toHaveLength(expected.assistant - 1);
    expect(record!.tokens).toMatchObject(expected.tokens);
    expect(JSON.stringify(reader.raw())).toContain("HARM_CATEGORY_HARASSMENT");
  });
});

describe("the location of the store", () => {
  it("follows GEMINI_CLI_HOME, which stands for the home directory", () => {
    const env: AgentEnv = {
      home: "/nowhere",
      platform: "linux",
      vars: { GEMINI_CLI_HOME: join(FIXTURES, "home-0.33.2") },
    };
    expect(gemini.history.listSessions(env, new ReadNotes())).toHaveLength(2);
  });

  it("knows the folder of a directory", () => {
    const env = envOf("home");
    expect(gemini.history.sessionDir(env, "/home/user/docs/shop-web")).toBe(
      join(env.home, ".gemini/tmp/shop-web-1/chats"),
    );
    expect(gemini.history.sessionDir(env, "/elsewhere")).toBe(join(env.home, ".gemini/tmp"));
  });

  it("resumes by the full session id what the program can resume", () => {
    const resume = (home: string, id: string): string[] | undefined => gemini.launch.resume(id, open(home, id).source);
    const id = "4b735126-ac99-4f28-a88f-af7318de4036";
    expect(resume("home", id)).toEqual(["gemini", "--resume", id]);
    expect(resume("home", "9e0d281f-3e9f-4b02-9355-9d32337e13dd")).toBeUndefined();
    expect(resume("home-0.2.2", "e7b67810-3bd7-4123-85ce-64885612d778")).toBeUndefined();
  });
});

for (const home of ["home", "home-0.10.0", "home-0.33.2"]) {
  const sessions = manifest.sessions.filter((session) => session.home === home).length;
  conformance(gemini, { home: join(FIXTURES, home), sessions });
}
conformance(gemini, { home: join(FIXTURES, "home-0.2.2"), sessions: 1 });
conformance(gemini, { home: join(FIXTURES, "synthetic-spec/home"), sessions: 1 });
