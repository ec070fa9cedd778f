import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { readSession } from "../../../test/support/agents/reading.ts";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import type { AgentEnv } from "../adapter.ts";
import { eventsOf } from "../shared/opencode/events.ts";
import { hookEvents } from "./hook-events.ts";
import kilo from "./index.ts";
import { KILO } from "./product.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const STREAMS = join(FIXTURES, "stream");
const recorded: AgentEnv = { home: join(FIXTURES, "home"), platform: "linux", vars: {} };
const { sessions } = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  sessions: { scenario: string; sessionId: string }[];
};

conformance(kilo, { home: recorded.home, sessions: sessions.length });

const openStream = () => eventsOf(KILO, { cwd: "/home/user/dev/shop-web", session: { kind: "new" }, now: () => 0 });
/** The service refused it before a turn began. */
const REFUSED = "05-1.jsonl";
const streams = readdirSync(STREAMS).filter((name) => name !== REFUSED);
streamConformance(
  "Kilo",
  streams.map((name) => ({ name, path: join(STREAMS, name) })),
  openStream,
);

function reader(scenario: string) {
  const { sessionId } = sessions.find((session) => session.scenario === scenario)!;
  return readSession(kilo.history, recorded, sessionId).reader;
}

describe("a session of Kilo", () => {
  it("is not billed for its sub-agents, whose cost Kilo adds to its message", () => {
    const [first] = reader("11-subagent").usage();
    const { input, cached, output } = first!.tokens;
    expect(first!.reportedMicroUsd).toBeCloseTo(input * 3 + cached * 0.3 + output * 15, 6);
  });

  it("is not billed for the sub-agents of a removed message either", () => {
    const env: AgentEnv = { ...recorded, home: join(FIXTURES, "rewound") };
    const { head, reader: parent } = readSession(kilo.history, env, "ses_e11f29d51ffePolAWi63qLMZhY");
    expect(head.title).toBe("A title");
    expect([...parent.messages()].map(({ content }) => content)).toEqual([
      ...["Name a colour.", "Green.", "And a stone.", "Basalt."],
    ]);
    const bill = Array.from(parent.usage(), ({ reportedMicroUsd }) => Math.round(reportedMicroUsd! * 10) / 10);
    // Green, Basalt, and the removed ones: asking the helper, reporting.
    expect(bill).toEqual([3486.9, 3671.4, 3523.8, 3597.6]);
    const helper = readSession(kilo.history, env, "ses_e11f21976ffeh7kIYgXOGki36X").reader;
    expect(Array.from(helper.usage(), ({ reportedMicroUsd }) => reportedMicroUsd)).toEqual([3560.7]);
  });

  it("says which tool failed", () => {
    const calls = [...reader("02-tools-resume").messages()].flatMap(({ toolCalls = [] }) => toolCalls);
    expect(calls.map(({ toolName, isError }) => [toolName, isError === true])).toEqual([
      ["read", false],
      ["read", true],
      ["edit", false],
      ["bash", false],
      ["write", false],
    ]);
  });

  it("keeps the text of an answer that was interrupted, and shows a summary as such", () => {
    expect([...reader("15-interrupted").messages()].slice(1, 3)).toMatchObject([
      { role: "assistant", content: "Once upon a time there was " },
      { role: "system", content: "Interrupted" },
    ]);
    const summary = "The user asked to remember the word marmalade.";
    expect([...reader("14-compacted").messages()]).toContainEqual(
      expect.objectContaining({ role: "system", content: summary }),
    );
  });
});

it("is started, resumed and forked by its own name", () => {
  const { launch } = kilo;
  expect([
    launch.resume("s"),
    launch.fork("s"),
    launch.forkAt.load!("f"),
    launch.forkAt.open({ id: "s", file: "f" }),
  ]).toEqual([
    ["kilo", "--session", "s"],
    ["kilo", "--session", "s", "--fork"],
    ["kilo", "import", "f"],
    ["kilo", "--session", "s"],
  ]);
});

it("is given its hooks by its own variable, in its own folder", () => {
  const program = { node: "/usr/bin/node", script: "/hook.mjs" };
  const env: AgentEnv = { home: "/home/user", platform: "linux", vars: {} };
  expect(kilo.hooks.target(env, program, undefined)).toMatchObject({
    path: "/home/user/.config/kilo/plugins/amux-status.js",
  });
  expect(
    Object.keys(kilo.hooks.launch!(["kilo"], { env, program, directory: "/d", version: undefined })!.env!),
  ).toEqual(["KILO_CONFIG_CONTENT"]);
});

it("reports its status, and that of a sub-agent as not its own", () => {
  const payloads = readFileSync(join(FIXTURES, "hooks/helper.jsonl"), "utf8").trimEnd().split("\n");
  const told = payloads.map((line) => hookEvents.read(JSON.parse(line) as Record<string, unknown>, undefined, {})!);
  expect(new Set(told.map(({ session }) => session)).size).toBe(1);
  expect(told.map(({ report }) => `${report?.state}${report?.scope === undefined ? "" : " (helper)"}`)).toEqual([
    ...["idle", "working", "working", "working (helper)", "working (helper)", "stopped (helper)", "stopped (helper)"],
    ...["working", "working", "done", "done"],
  ]);
});

it("tells why a run was refused", () => {
  const told = replay(openStream(), join(STREAMS, REFUSED));
  expect(told).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining("The request was refused.") as string }),
  );
});

it("tells a run's text, tools and helper as events", () => {
  const told = essence(replay(openStream(), join(STREAMS, "03-1.jsonl")));
  expect(JSON.stringify(told)).toContain("The helper found 1 file.");
  expect(JSON.stringify(told)).toContain("subagent_result");
});
