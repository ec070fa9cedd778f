import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { shown } from "../../../test/status/support/screens.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv, SessionReader, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { hooks } from "./hooks.ts";
import cline from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const HOME = join(FIXTURES, "home");
const { sessions } = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  sessions: { scenario: string; sessionId: string }[];
};

conformance(cline, { home: HOME, sessions: sessions.length });

describe("the screen of Cline", () => {
  const rows = (name: string): string[] => readFileSync(join(FIXTURES, "screens", name), "utf8").split("\n");

  it.each([
    ["waiting", "working"],
    ["thinking", "working"],
    ["tool", "working"],
    ["answer", "working"],
    ["start", "idle"],
    ["done", "idle"],
    ["draft", "idle"],
    ["interrupted", "idle"],
    ["sign-in", undefined],
  ])("%s: %s", (name, state) => {
    expect(hooks.screenState!(rows(`${name}.txt`))).toBe(state);
  });

  it.each(["permission.ansi", "question.ansi"])("%s tells nothing but its question", (name) => {
    const shownRows = shown(rows(name).join("\n")).map(({ text }) => text.trimEnd());
    expect(shownRows.join("\n")).toMatch(/Cline (?:needs permission|is asking)/);
    expect(hooks.screenState!(shownRows)).toBeUndefined();
  });

  it("is not taken for working because of what was said", () => {
    const said = [" * It spins:", "   ⠋ Thinking... (esc to cancel)", " ❯ ⠋ is a sign", ...rows("done.txt")];
    expect(hooks.screenState!(said)).toBe("idle");
  });
});

function copiedHome(): AgentEnv {
  const { path } = tempHome();
  cpSync(HOME, path, { recursive: true });
  return { home: path, platform: "linux", vars: {} };
}

function sourceOf(env: AgentEnv, scenario: string): SessionSource {
  const { sessionId } = sessions.find((session) => session.scenario === scenario)!;
  return cline.history.listSessions(env, new ReadNotes()).find((source) => source.sessionId === sessionId)!;
}

function open(env: AgentEnv, scenario: string): SessionReader {
  return cline.history.read(sourceOf(env, scenario), env, new ReadNotes())!;
}

describe("a session of Cline", () => {
  it("shows what was typed, and marks the tools that failed", () => {
    const messages = [...open(copiedHome(), "02-tools").messages()];
    expect(messages[0]).toMatchObject({ role: "user", content: "Read the cart and add a discount to total()." });
    expect(messages[1]?.toolCalls).toMatchObject([
      { toolName: "read_files" },
      { toolName: "read_files", isError: true },
    ]);
    expect(messages[1]?.toolCalls?.[0]).not.toHaveProperty("isError");
    const failed = messages
      .filter(({ toolResult }) => toolResult?.isError)
      .map(({ toolResult }) => toolResult!.toolName);
    expect(failed).toEqual(["read_files", "run_commands"]);
  });

  it("has its sub-agent's conversation and bills it to the session", () => {
    const reader = open(copiedHome(), "03-subagent");
    const [helper] = reader.subagents!();
    expect(helper?.messages.map(({ content }) => content)).toEqual([
      "Count the files in src and report the number.",
      "There is 1 file in src.",
    ]);
    expect([...reader.usage()].map(({ subagent }) => subagent)).toEqual([undefined, undefined, helper?.id]);
  });

  it("keeps the result of a call that is lost", () => {
    const env = copiedHome();
    const { path } = sourceOf(env, "02-tools");
    const results = () => [...open(env, "02-tools").messages()].filter(({ role }) => role === "tool");
    const whole = results();
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"tool_use"', '"damaged"'));
    expect(results()).toEqual(whole);
  });

  it("that was killed in its first turn has its prompt", () => {
    expect([...open(copiedHome(), "06-killed").messages()]).toEqual([{ role: "user", content: "Write a long story." }]);
  });

  it("without the file of its facts is read from its messages", () => {
    const env = copiedHome();
    rmSync(sourceOf(env, "01-qa").path.replace(".messages.json", ".json"));
    expect(open(env, "01-qa").head.title).toBe("What does total() in src/cart.js do?");
  });
});

describe("sessions that a restored checkpoint and a fork began", () => {
  const env: AgentEnv = { home: join(FIXTURES, "branches-home"), platform: "linux", vars: {} };
  const sources = cline.history.listSessions(env, new ReadNotes());
  const readers = sources.map((source) => cline.history.read(source, env, new ReadNotes())!);
  const [first, restored, fork] = sources.map(({ sessionId }) => sessionId);

  it("have what was served for them, each once", () => {
    const own = readers.map((reader) => [...reader.usage()].filter(({ copied }) => !copied));
    expect(own.map((records) => records.map(({ tokens }) => tokens.input))).toEqual([
      [1007, 1014, 1021, 1028],
      // The request for the summary (1042) is written nowhere.
      [1035, 1049],
      // The interrupted answer (1063) is written nowhere.
      [1056, 1070, 1077],
    ]);
    const keys = new Set(own.flat().map(({ key }) => key));
    const copies = readers.flatMap((reader) => [...reader.usage()].filter(({ copied }) => copied));
    expect(copies.map(({ key }) => keys.has(key))).toEqual(copies.map(() => true));
    expect(copies).toHaveLength(3 + 5);
  });

  it("mark what was copied, and show the summary where it was made", () => {
    const own = readers.map((reader) =>
      [...reader.messages()].filter((message) => !message.inherited).map(({ role, content }) => [role, content]),
    );
    expect(own.slice(1)).toEqual([
      [
        ["user", "Third question: what is z?"],
        ["assistant", "z is 4 now."],
        ["system", expect.stringContaining("Summary: x is 1, y is 2.")],
        ["user", "Fourth question: what is w?"],
        ["assistant", "w is 5."],
      ],
      [
        ["user", "In the fork: what is u?"],
        ["assistant", "u is 7."],
        ["user", "Tell a long story."],
        ["user", "What is in @red.png ?"],
        ["assistant", "A red pixel."],
        // After a resume.
        ["user", "Resumed: what is t?"],
        ["assistant", "t is 8."],
      ],
    ]);
    expect([...readers[2]!.messages()].filter(({ role }) => role === "system")).toMatchObject([{ inherited: true }]);
  });

  it("name the session before them, also where their files do not", () => {
    expect(readers.map(({ head }) => [head.title, head.forkedFrom])).toEqual([
      ["First question: what is x?", undefined],
      ["Third question: what is z?", undefined],
      ["Third question: what is z? (fork)", restored],
    ]);
    const family = sources.map((source, index) => ({ source, head: readers[index]!.head }));
    const keys = new Set(readers.flatMap(({ head }) => head.familyKeys));
    expect(keys.size).toBe(1);
    expect([...cline.history.lineage(family)]).toEqual([
      [restored, first],
      [fork, restored],
    ]);
  });
});

function openLive(id: string): SessionReader {
  const env: AgentEnv = { home: join(FIXTURES, "live-home"), platform: "linux", vars: {} };
  const sources = cline.history.listSessions(env, new ReadNotes());
  return cline.history.read(
    sources.find(({ sessionId }) => sessionId === id)!,
    env,
    new ReadNotes(),
  )!;
}

it("keeps a pasted picture with its prompt", () => {
  const [prompt] = openLive("1795006717952_tl35o").messages();
  expect(prompt).toMatchObject({
    role: "user",
    content: "[Image 1] What is in this picture?",
    images: [{ mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) as string }],
  });
});

it("an interrupted answer of Cline is lost, and a killed one with its prompt", () => {
  const reader = openLive("1795005879866_q0n0p");
  expect([...reader.messages()].slice(-4).map(({ role, content }) => [role, content])).toEqual([
    ["assistant", "Thank you."],
    ["user", "Tell a long story."],
    ["user", "Fail."],
    ["system", "The request was refused."],
  ]);
  expect([...reader.usage()].map(({ tokens }) => tokens.input)).toEqual([1007, 1014, 1021, 1028, 1035]);
});

describe("a damaged session of Cline", () => {
  it.each([
    ["cut off", (path: string) => truncateSync(path, 400)],
    ["of another kind", (path: string) => writeFileSync(path, '{"messages":{}}')],
  ])("%s is reported and left out", (_name, damage) => {
    const env = copiedHome();
    const source = sourceOf(env, "01-qa");
    damage(source.path);
    const notes = new ReadNotes();
    expect(cline.history.summarize(source, env, notes)).toBeUndefined();
    expect(notes.skipped.map(({ path }) => path)).toEqual([source.path]);
    expect(() => cline.history.read(source, env, notes)).toThrow("holds no readable record");
  });
});
