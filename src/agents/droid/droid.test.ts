import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv, SessionReader, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { startArguments } from "../start-options.ts";
import { droidEvents } from "./events.ts";
import { HOOK_SCRIPT } from "../../lib/process/hook-program.ts";
import type { Json } from "../../lib/json/fields.ts";
import droid from "./index.ts";
import { transcriptState } from "./transcript-state.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const HOME = join(FIXTURES, "home");

/** Typed in `branches-home`. */
const ASKED = ["First", "Second", "Third", "Fourth"].map((word, i) => `${word} question: what is ${"xyzw"[i]}?`);
const { sessions } = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  sessions: { scenario: string; sessionId: string }[];
};

conformance(droid, { home: HOME, sessions: sessions.length });

function copiedHome(): AgentEnv {
  const { path } = tempHome();
  cpSync(HOME, path, { recursive: true });
  return { home: path, platform: "linux", vars: {} };
}

function sourceOf(env: AgentEnv, scenario: string): SessionSource {
  const { sessionId } = sessions.find((session) => session.scenario === scenario)!;
  return droid.history.listSessions(env, new ReadNotes()).find((source) => source.sessionId === sessionId)!;
}

function open(env: AgentEnv, scenario: string, notes = new ReadNotes()): SessionReader {
  return droid.history.read(sourceOf(env, scenario), env, notes)!;
}

it("the recordings of Droid name no machine", () => {
  const files = readdirSync(HOME, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  const text = files.map((name) => readFileSync(join(HOME, name), "utf8")).join("");
  expect(text.match(/"hostId":"(?![0-]+")/g)).toBeNull();
});

describe("sessions that a summary, a rewind and a fork began", () => {
  const env: AgentEnv = { home: join(FIXTURES, "branches-home"), platform: "linux", vars: {} };
  const readers = new Map(
    droid.history
      .listSessions(env, new ReadNotes())
      .map((source) => [source.sessionId.slice(0, 8), droid.history.read(source, env, new ReadNotes())!]),
  );

  it("have what was served for them, each once", () => {
    const inputs = [...readers].map(([id, reader]) => [id, [...reader.usage()].map(({ tokens }) => tokens.input)]);
    expect(Object.fromEntries(inputs)).toEqual({
      "630f1266": [1007 + 1014 + 1021 + 1028],
      // Part of the summary, and two answers. Its own sum begins with that of the session before.
      "234228db": [1035 + 1042 + 1049],
      // Rewound before the last prompt.
      "9ef8a607": [1056],
      "05214b80": [],
    });
    expect([...readers.values()].filter(({ head }) => head.usageUnknown)).toEqual([]);
  });

  it("name the session before them, and mark what was copied", () => {
    const shown = [...readers].map(([id, { head, messages }]) => [
      id,
      head.forkedFrom?.slice(0, 8),
      [...messages()].filter(({ inherited }) => !inherited).map(({ content }) => content),
    ]);
    expect(shown.sort()).toEqual([
      ["05214b80", "9ef8a607", []],
      ["234228db", "630f1266", ["A title", ...["z is 3.", "w is 4."].flatMap((answer, i) => [ASKED[i + 2], answer])]],
      ["630f1266", undefined, ["x is 1.", "y is 2."].flatMap((answer, i) => [ASKED[i], answer])],
      ["9ef8a607", "234228db", [ASKED[3], "w is 5 now."]],
    ]);
  });
});

function openLive(id: string): SessionReader {
  const env: AgentEnv = { home: join(FIXTURES, "live-home"), platform: "linux", vars: {} };
  const sources = droid.history.listSessions(env, new ReadNotes());
  return droid.history.read(
    sources.find(({ sessionId }) => sessionId.startsWith(id))!,
    env,
    new ReadNotes(),
  )!;
}

it("a session with a picture that was resumed in a terminal stays one", () => {
  const reader = openLive("f490bef8");
  const red = { mediaType: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) as string };
  expect([...reader.messages()].map(({ content, images }) => [content, images])).toEqual([
    ["What is in this picture?", [red]],
    ["A red pixel.", undefined],
    ["Resumed: what is t?", undefined],
    ["t is 8.", undefined],
  ]);
  expect([...reader.usage()].map(({ tokens }) => tokens.input)).toEqual([1007 + 1014 + 1021]);
  expect(reader.head.forkedFrom).toBeUndefined();
});

it("an interrupted answer of Droid is lost, and so is one that was killed", () => {
  const reader = openLive("c257666d");
  expect([...reader.messages()].slice(-5).map(({ role, content }) => [role, content])).toEqual([
    ["assistant", "Thank you."],
    ["user", "Tell a long story."],
    ["user", "Fail."],
    ["system", expect.stringContaining("The request was refused.")],
    ["user", "Write a long story."],
  ]);
  expect([...reader.usage()].map(({ tokens }) => tokens.input)).toEqual([1007 + 1014 + 1021 + 1028 + 1035 + 1042]);
});

describe("a session of Droid", () => {
  it("shows what was typed, without what Droid adds to it", () => {
    const [prompt, answer] = open(copiedHome(), "02-tools").messages();
    expect(prompt).toMatchObject({ role: "user", content: "Read the cart and add a discount to total()." });
    expect(answer).toMatchObject({
      content: "I will read both files.",
      toolCalls: [{ toolName: "Read" }, { toolName: "Read", isError: true }],
    });
  });

  it("keeps an error of the service as a notice", () => {
    expect([...open(copiedHome(), "05-refused").messages()].map(({ role }) => role)).toEqual(["user", "system"]);
  });

  it("has an unknown cost without its settings, not none", () => {
    const env = copiedHome();
    rmSync(sourceOf(env, "01-qa").path.replace(/\.jsonl$/, ".settings.json"));
    const reader = open(env, "01-qa");
    expect(reader.head.usageUnknown).toBe(true);
    expect([...reader.usage()]).toEqual([]);
  });

  it("loses only damaged lines", () => {
    const env = copiedHome();
    const whole = [...open(env, "02-tools").messages()];
    appendFileSync(sourceOf(env, "02-tools").path, '{"type":"message","id":\n');
    const notes = new ReadNotes();
    expect([...open(env, "02-tools", notes).messages()]).toEqual(whole);
    expect(notes.damagedLines).toBe(1);
  });

  it("keeps the result of a call whose record is lost", () => {
    const env = copiedHome();
    const { path } = sourceOf(env, "02-tools");
    const results = () => [...open(env, "02-tools").messages()].filter(({ role }) => role === "tool");
    const whole = results();
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.filter((line) => !line.includes('"type":"tool_use"')).join("\n"));
    expect(results().map(({ content }) => content)).toEqual(whole.map(({ content }) => content));
  });

  it("has turns of its own in a fork, also without the line at which it was forked", () => {
    const env = copiedHome();
    const { path } = sourceOf(env, "07-fork, the fork");
    const lines = readFileSync(path, "utf8").split("\n");
    const forkedAt = (JSON.parse(lines[0]!) as { forkedAtMessageId: string }).forkedAtMessageId;
    const inherited = (...lost: string[]): (boolean | undefined)[] => {
      writeFileSync(path, lines.filter((line) => !lost.some((part) => line.includes(part))).join("\n"));
      return [...open(env, "07-fork, the fork").messages()].map((message) => message.inherited);
    };
    expect(inherited()).toEqual([true, true, undefined, undefined]);
    expect(inherited(`"id":"${forkedAt}"`)).toEqual([true, undefined, undefined]);
    expect(inherited(`"id":"${forkedAt}"`, `"parentId":"${forkedAt}"`)).toEqual([undefined, undefined]);
  });
});

describe("the hooks of Droid", () => {
  const records = (scenario: string): Json[] =>
    readFileSync(sourceOf({ home: HOME, platform: "linux", vars: {} }, scenario).path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json);

  it("end alike after a failed request, which the session's file tells", () => {
    const refused = sessions.find(({ scenario }) => scenario.includes("refus"))!;
    expect(transcriptState(records(refused.scenario))).toMatchObject({
      state: "error",
      message: "BYOK Error: 400 The request was refused.",
    });
    expect(transcriptState(records("01-qa"))).toBeUndefined();
  });

  it("in settings.json are hidden by a hooks.json with the same events", () => {
    const home = tempHome();
    const env: AgentEnv = { home: home.path, platform: "linux", vars: {} };
    expect(droid.hooks?.hiddenBy?.(env)).toBeUndefined();
    home.write(".factory/hooks/hooks.json", '{"Stop": []}');
    expect(droid.hooks?.hiddenBy?.(env)).toMatch(/hooks\/hooks\.json replaces .* for Stop\. Move/);
    home.write(".factory/hooks.json", JSON.stringify({ Stop: [{ hooks: [{ command: HOOK_SCRIPT }] }], Other: [] }));
    expect(droid.hooks?.hiddenBy?.(env)).toBeUndefined();
  });

  it("are left out of a start whose own settings have comments", () => {
    const home = tempHome();
    home.write("own.json", '// mine\n{"model": "x"}');
    const vars = { FACTORY_RUNTIME_SETTINGS_PATH: join(home.path, "own.json") };
    const context = { program: { node: "node", script: "hook.cjs" }, directory: "/run/s", version: undefined };
    const env: AgentEnv = { home: home.path, platform: "linux", vars };
    expect(droid.hooks?.launch?.(["droid"], { ...context, env })).toBeUndefined();
    expect(droid.hooks?.launch?.(["droid"], { ...context, env: { ...env, vars: {} } })).toBeDefined();
  });
});

it("a model cannot be chosen for Droid's terminal, which has no option for it", () => {
  expect(startArguments(droid.launch.start, { model: "gpt-5.5" }, [])).toBe("model");
  expect(startArguments(droid.launch.start, { permission_mode: "edits", prompt: "Fix it" }, [])).toEqual([
    "--auto",
    "low",
    "Fix it",
  ]);
});

const STREAMS = join(FIXTURES, "stream");
const stream = () => droidEvents({ cwd: "/home/user/dev/shop-web", session: { kind: "new" }, now: () => 0 });

streamConformance(
  "Droid",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  stream,
);

describe("the output of Droid", () => {
  it("has the failing tools, the changed file, the exit code and the tokens", () => {
    const events = essence(replay(stream(), join(STREAMS, "02-tools-resume.jsonl")));
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_error", toolCallId: "call_2_1" }));
    expect(events).toContainEqual({ type: "file_patch", path: "/home/user/dev/shop-web/src/cart.js" });
    expect(events).toContainEqual({ type: "shell_exit", exitCode: 3, durationMs: 0 });
    expect(events.filter(({ type }) => type === "thinking_stop")).toHaveLength(1);
    expect(events.at(-2)).toMatchObject({
      type: "token_usage",
      inputTokens: 5140,
      cachedTokens: 2560,
      outputTokens: 133,
    });
  });

  it("says what to do when a session is not resumed and nothing is printed", () => {
    const end = (kind: "resume" | "fork", exitCode: number | null) =>
      droidEvents({ cwd: "/", session: { kind, id: "an-id" }, now: () => 0 }).end({ exitCode, stderr: "" });
    expect(end("resume", 1)).toEqual([
      expect.objectContaining({ type: "error", message: expect.stringContaining("(--fork)") as string }),
    ]);
    expect(end("resume", null)).toEqual([]);
    expect(end("fork", 1)).toEqual([]);
  });
});
