import { describe, expect, it } from "vitest";
import type { HookReading } from "../core/hooks.ts";
import { applyHook } from "./apply-hook.ts";
import { attentionQueue } from "./attention.ts";
import type { Observation } from "./evidence.ts";
import { viewOf, type SessionView } from "./session-view.ts";
import { withKnownFields, type StatusFile } from "./status-file.ts";

const START = 1_790_000_000_000;
const WORLD = { isAlive: () => false };

/** A file as an agent's hooks leave it. */
function after(
  steps: [seconds: number, reading: Omit<HookReading, "event">][],
  file: StatusFile = withKnownFields({}, "s"),
  agent = "claude",
): StatusFile {
  return steps.reduce((sum, [seconds, reading]) => {
    const call = {
      agent,
      isMain: agent === "claude",
      reading: { event: "E", ...reading },
      now: START + seconds * 1000,
      world: WORLD,
    };
    return applyHook(sum, call) ?? sum;
  }, file);
}

function view(file: StatusFile, seconds: number, sights: Observation[] = []): SessionView {
  return viewOf(file, "claude", () => sights, START + seconds * 1000);
}

const saw = (seconds: number, state: Observation["state"], more: Partial<Observation> = {}): Observation => ({
  source: "agent",
  state,
  at: START + seconds * 1000,
  ...more,
});

const ASKED = after([
  [0, { session: "a", report: { state: "working", begins: true, message: "Fix it" } }],
  [5, { session: "a", report: { state: "permission", ask: "x", message: "Bash: make" } }],
]);

describe("a look at a session", () => {
  it("shows the hooks' reports", () => {
    expect(view(ASKED, 60).top).toMatchObject({
      status: "permission",
      message: "Bash: make",
      since: START + 5000,
      agent: "claude",
    });
  });

  it("shows no main agent where only another one has reported", () => {
    const file = withKnownFields({ agents: { aider: { status: "idle", timestamp: START / 1000 } } }, "s");
    expect(view(file, 60).agents.map(({ agent, since }) => [agent, since])).toEqual([["aider", START]]);
    const both = after([[5, { session: "a", report: { state: "idle" } }]], file);
    expect(view(both, 60).agents.map(({ agent }) => agent)).toEqual(["claude", "aider"]);
  });

  it("sees that the question was answered, before any hook says so", () => {
    expect(view(ASKED, 60, [saw(8, "working")]).top).toMatchObject({ status: "working", message: "Fix it" });
    expect(view(ASKED, 60, [saw(8, "idle")]).top.status).toBe("idle");
    expect(view(ASKED, 60, [saw(8, "idle", { could_be: ["permission"] })]).top.status).toBe("permission");
  });

  it("does not treat an agent in the middle of a change as a contradiction", () => {
    expect(view(ASKED, 5.4, [saw(5.4, "working")]).top.status).toBe("permission");
  });

  it("sees at once that the process is gone", () => {
    expect(view(ASKED, 5.4, [saw(5.4, "offline", { source: "process" })]).top.status).toBe("offline");
  });

  it("believes another program that wrote the file later", () => {
    const theirs = { ...ASKED, status: "done", message: "", timestamp: START / 1000 + 30 };
    expect(view(theirs, 60).top).toMatchObject({ status: "done", since: START + 30_000 });
    expect(view({ ...ASKED, amux: undefined, status: "waiting" }, 60).top).toMatchObject({
      agent: "",
      status: "waiting",
    });
    expect(view({ ...ASKED, amux: undefined, status: "dancing" }, 60).top).toMatchObject({
      agent: "",
      status: "dancing",
    });
  });

  it("survives anything under our own key", () => {
    for (const amux of [
      5,
      "x",
      [],
      { agents: 3 },
      { agents: { claude: { evidence: { said: { hook: { state: "no" } }, asks: [1, {}], log: "x" } } } },
    ]) {
      expect(view({ ...ASKED, amux }, 60).top.status).toBe("permission");
    }
  });

  it("shows the most urgent of several agents, each with its own message", () => {
    const both = after(
      [[10, { report: { state: "waiting", ask: "q", message: "Which?" } }]],
      after([[9, { report: { state: "done" } }]]),
      "codex",
    );
    const seen = view(both, 60);
    expect(seen.agents.map(({ agent, status }) => `${agent} ${status}`)).toEqual(["claude done", "codex waiting"]);
    expect(seen.top).toMatchObject({ agent: "codex", message: "Which?" });
  });
});

describe("the attention list", () => {
  const session = (name: string, steps: Parameters<typeof after>[0]): SessionView =>
    view(after(steps, withKnownFields({ cwd: `/${name}` }, name)), 100);

  it("has permissions, questions, errors and results, and the longest waiting first among equals", () => {
    const sessions = [
      session("done", [[1, { report: { state: "done", message: "Ready." } }]]),
      session("busy", [[1, { report: { state: "working" } }]]),
      session("late", [[50, { report: { state: "permission", ask: "a", message: "Write: b" } }]]),
      session("error", [[2, { report: { state: "error", message: "overloaded" } }]]),
      session("limit", [[1, { report: { state: "error", message: "You've hit your limit · resets 3pm (UTC)" } }]]),
      session("early", [[20, { report: { state: "permission", ask: "a", message: "Write: a" } }]]),
      session("asks", [[3, { report: { state: "waiting", ask: "a", message: "Which?" } }]]),
      session("idle", [[3, { report: { state: "idle" } }]]),
    ];
    expect(
      attentionQueue(sessions, START + 100_000).map(({ name, reason, text, source }) => [name, reason, text, source]),
    ).toEqual([
      ["early", "permission", "Write: a", "hook"],
      ["late", "permission", "Write: b", "hook"],
      ["asks", "question", "Which?", "hook"],
      ["error", "error", "overloaded", "hook"],
      ["limit", "limit", "You've hit your limit · resets 3pm (UTC)", "hook"],
      ["done", "finished", "Ready.", "hook"],
    ]);
  });

  it("includes team members who ask", () => {
    const file = {
      ...after([[1, { report: { state: "working" } }]]),
      team: { name: "t", agents: [{ name: "bob", status: "permission", timestamp: START / 1000 }] },
    };
    expect(attentionQueue([view(file, 5)], START + 5000)).toMatchObject([
      { member: "bob", reason: "permission", since: START },
    ]);
  });

  it("drops results that were read, or ignored for a day", () => {
    const done = session("s", [[1, { report: { state: "done" } }]]);
    expect(attentionQueue([{ ...done, unread: false }], START + 5000)).toEqual([]);
    expect(attentionQueue([done], START + 25 * 3_600_000)).toEqual([]);
  });
});

describe("a hook call", () => {
  it("counts time in states and tools, and restarts after the end", () => {
    const file = after([
      [0, { report: { state: "working", begins: true } }],
      [10, { report: { state: "working", ask: "a" }, tool: "Read" }],
      [15, { report: { state: "permission", ask: "b" } }],
      [35, { report: { state: "working", ask: "b" }, tool: "Bash" }],
      [40, { report: { state: "done" } }],
    ]);
    expect(file["metrics"]).toEqual({
      started: START / 1000,
      total_seconds: 40,
      working_seconds: 20,
      waiting_seconds: 20,
      tools: { Read: 1, Bash: 1 },
      recent_tools: ["Bash", "Read"],
    });
    const again = after(
      [
        [50, { report: { state: "offline" } }],
        [100, { report: { state: "idle", begins: true } }],
      ],
      file,
    );
    expect(again["metrics"]).toMatchObject({ started: START / 1000 + 100, total_seconds: 0, tools: {} });
  });

  it("is ignored when something newer arrived", () => {
    const file = after([
      [10, { at: START + 9000, report: { state: "working", begins: true, message: "new" } }],
      [11, { at: START + 8000, report: { state: "idle", begins: true } }],
    ]);
    expect(file.status).toBe("working");
  });

  it("without a report changes nothing", () => {
    const file = withKnownFields({ x: 1 }, "s");
    expect(
      applyHook(file, { agent: "claude", isMain: true, reading: { event: "SessionStart" }, now: 1, world: WORLD }),
    ).toBeUndefined();
  });

  it("a new prompt drops team members who have stopped, and the team with the last of them", () => {
    const team = (states: string[]): StatusFile =>
      withKnownFields(
        { team: { name: "t", agents: states.map((status, index) => ({ name: `m${index}`, status, timestamp: 1 })) } },
        "s",
      );
    const begin: Parameters<typeof after>[0] = [[1, { report: { state: "working", begins: true } }]];
    expect(after(begin, team(["stopped", "idle"]))["team"]).toMatchObject({ agents: [{ name: "m1" }] });
    expect(after(begin, team(["stopped"]))["team"]).toBeUndefined();
    const news = { members: [{ name: "m0", state: "idle" as const }], everyone: "working" as const };
    expect(after([[1, { team: news }]], team(["stopped", "idle"]))["team"]).toMatchObject({
      agents: [{ status: "stopped" }, { status: "working" }],
    });
  });
});

describe("the combined status", () => {
  const file = (status: string, agents: Record<string, string>): StatusFile => ({
    tmux_session: "s",
    status,
    message: "",
    cwd: "/",
    timestamp: 1,
    agents: Object.fromEntries(Object.entries(agents).map(([type, state]) => [type, { status: state, timestamp: 2 }])),
    team: { name: "t", agents: [{ name: "n", status: "permission", timestamp: 3 }] },
  });

  it.each([
    ["working", { opencode: "idle" }, "working", ""],
    ["done", { opencode: "idle" }, "idle", "opencode"],
    ["waiting", { b: "permission", a: "permission" }, "permission", "a"],
    ["permission", { a: "permission" }, "permission", ""],
    ["error", { a: "working" }, "working", "a"],
    ["idle", { a: "error" }, "error", "a"],
    ["stopped", { a: "done" }, "stopped", ""],
    ["offline", { a: "done" }, "done", "a"],
    ["nonsense", { a: "offline" }, "offline", "a"],
    ["nonsense", {}, "nonsense", ""],
  ])("of %s and %j is %s, whatever the team does", (status, agents, expected, agent) => {
    expect(view(file(status, agents as Record<string, string>), 60).top).toMatchObject({ status: expected, agent });
  });
});
