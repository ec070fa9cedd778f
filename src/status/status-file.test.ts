import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asObject } from "../lib/json/fields.ts";
import { readMetrics, withTimeIn, withTool, writeMetrics } from "./metrics.ts";
import { agentsOf, gitOf, metricsOf, parseStatusFile, teamOf, tokensOf } from "./status-file.ts";

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, "fixtures", name), "utf8");

describe("the documented example", () => {
  const file = parseStatusFile(fixture("documented.json"), "x")!;

  it("is read in every field", () => {
    expect(file).toMatchObject({
      tmux_session: "my-session",
      status: "working",
      message: "Implementing login feature",
      cwd: "/home/user/projects/app",
      timestamp: 1738972800,
      current_pbi: "PBI-38",
      current_pbi_title: "Enhanced GitHub PR Integration",
    });
    expect(gitOf(file)).toEqual({
      branch: "feature/login",
      dirty: true,
      ahead: 3,
      behind: 0,
      last_commit: "abc1234 Add login form",
      remote: "origin",
      pr_num: 42,
      fetched_at: 1738972800,
    });
    expect(metricsOf(file)).toEqual({
      started: 1738970000,
      total_seconds: 2800,
      working_seconds: 2400,
      waiting_seconds: 400,
      tools: { Read: 15, Write: 8, Bash: 5, Grep: 3 },
      recent_tools: ["Read", "Write", "Bash", "Read", "Grep"],
    });
    expect(tokensOf(file)).toEqual({ input: 45000, output: 12000, total: 57000 });
    expect(teamOf(file)).toEqual({
      name: "my-project",
      agents: [
        { name: "researcher", status: "working", timestamp: 1738972800 },
        { name: "implementer", status: "idle", timestamp: 1738972850 },
      ],
    });
    expect(agentsOf(file)).toEqual({ opencode: { status: "idle", timestamp: 1738972780 } });
  });

  it("is written back unchanged", () => {
    expect(JSON.parse(JSON.stringify(file))).toEqual(JSON.parse(fixture("documented.json")));
  });
});

describe("a file with nested metrics", () => {
  const file = parseStatusFile(fixture("nested-metrics.json"), "x")!;

  it("is read as the documented shape", () => {
    expect(metricsOf(file)).toEqual({
      started: 1771500000,
      total_seconds: 600,
      working_seconds: 480,
      waiting_seconds: 60,
      tools: { Bash: 3, Edit: 2 },
      recent_tools: ["Edit", "Bash"],
    });
    expect(tokensOf(file)).toEqual({ input: 10, output: 5, total: 15 });
    expect(gitOf(file)?.remote).toBe("git@github.com:org/app.git");
  });

  it("keeps its shape and its other keys when it is written", () => {
    const metrics = asObject(file["metrics"])!;
    expect(writeMetrics(metrics, withTool(readMetrics(metrics), "Bash"))).toEqual({
      time: { started: 1771500000, total_seconds: 600, working_seconds: 480, waiting_seconds: 60 },
      tools: { recent: ["Bash", "Edit", "Bash"], counts: { Bash: 4, Edit: 2 } },
      tokens: { input: 10, output: 5, total: 15 },
      resource: { rss_bytes: 1000 },
    });
  });
});

describe("time in states", () => {
  const start = { started: 100, total_seconds: 0, working_seconds: 0, waiting_seconds: 0, tools: {}, recent_tools: [] };

  it.each([
    ["working", 7, 0],
    ["permission", 0, 7],
    ["waiting", 0, 7],
    ["done", 0, 0],
    ["offline", 0, 0],
  ])("counts %s", (status, working, waiting) => {
    expect(withTimeIn(start, status, 110, 117)).toMatchObject({
      total_seconds: 17,
      working_seconds: working,
      waiting_seconds: waiting,
    });
  });

  it("does not run backwards with the clock", () => {
    expect(withTimeIn(start, "working", 110, 90)).toMatchObject({ total_seconds: 0, working_seconds: 0 });
  });

  it("remembers the last ten tools", () => {
    let metrics = start as ReturnType<typeof withTool>;
    for (let index = 0; index < 12; index++) metrics = withTool(metrics, `T${index}`);
    expect(metrics.recent_tools).toEqual(["T11", "T10", "T9", "T8", "T7", "T6", "T5", "T4", "T3", "T2"]);
    expect(withTool(metrics, "__proto__").recent_tools[0]).toBe("__proto__");
  });
});

it.each(["", "{", "null", "[1]", '"text"', "12"])("%j is not a status file", (text) => {
  expect(parseStatusFile(text, "x")).toBeUndefined();
});

it("survives fields of the wrong type", () => {
  const text = JSON.stringify({
    status: 3,
    timestamp: "x",
    git: 5,
    metrics: [],
    tokens: "9",
    team: [],
    agents: { a: 1, b: {} },
  });
  const file = parseStatusFile(text, "named")!;
  expect(file).toMatchObject({ tmux_session: "named", status: "", timestamp: 0 });
  expect([gitOf(file), metricsOf(file), tokensOf(file), teamOf(file)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(agentsOf(file)).toEqual({ b: { status: "", timestamp: 0 } });
});

it.each([
  [1_738_972_800, 1_738_972_800],
  [1_738_972_800_123, 1_738_972_800],
  [1.7389728e18, 1_738_972_800],
  [1e300, 0],
  [-5, 0],
  ["soon", 0],
])("a time written as %j can be shown", (timestamp, seconds) => {
  const entry = { status: "idle", timestamp };
  const fields = {
    ...entry,
    metrics: { started: timestamp },
    agents: { x: entry },
    team: { agents: [{ ...entry, name: "y" }] },
  };
  const file = parseStatusFile(JSON.stringify(fields), "a")!;
  const moments = [
    file.timestamp,
    agentsOf(file)["x"]?.timestamp,
    teamOf(file)?.agents[0]?.timestamp,
    metricsOf(file)?.started,
  ];
  expect(moments).toEqual([seconds, seconds, seconds, seconds]);
});
