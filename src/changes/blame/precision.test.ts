import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judge, makeDay, type Day } from "../../../bench/blame-day.mjs";
import { removeTree } from "../../../scripts/remove-tree.mjs";
import { AgentRegistry } from "../../agents/registry.ts";
import type { AgentEnv } from "../../agents/adapter.ts";
import { SessionManager } from "../../history/manager.ts";
import { blame, localSource } from "./blame.ts";
import type { BlameReport } from "./blame-report.ts";
import { foreignSource } from "./foreign-source.ts";

let directory: string;
let day: Day;
const reports = new Map<string, BlameReport>();

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "amux-blame-")));
  day = makeDay(directory);
  for (const path of day.files.keys()) reports.set(path, await ask(path));
});

afterAll(() => removeTree(directory));

describe("a day of three agents and a person, with a rebase, a squash and a formatter", () => {
  it("has no line that is said to be proved and is somebody else's", () => {
    const judged = judge(day, (path) => reports.get(path)!.ranges);
    expect(judged.wrongProved).toEqual([]);
    // Copies of a session's function by hand, which nothing tells from the original.
    expect(judged.wrongNear.length / judged.lines).toBeLessThan(0.05);
    // Most lines of sessions are found; the rest was formatted, repeated, typed again or written by a shell.
    expect(judged.proved / judged.bySessions).toBeGreaterThan(0.5);
  });

  it.each(["Format prices", "Remove the step"])(
    "has no line that a session is said to have removed: %s",
    async (subject) => {
      const commit = day.git("log", "-1", "--format=%H", `--grep=^${subject}$`, "main").trim();
      const removed = (await ask(commit)).ranges.filter(({ change }) => change === "removed");
      expect(removed.length).toBeGreaterThan(0);
      expect(removed.filter(({ origin }) => origin.tier === "proved")).toEqual([]);
    },
  );

  it("is found on another machine too, where only the directory's name is the same", async () => {
    const sessions = managerOf(day);
    const store = foreignSource({
      async list() {
        const rows = await sessions.listAll({ limit: 100, counts: false });
        return { sessions: rows.map((row) => ({ ...row, machine: "box" })), notes: ["Without den: it is asleep."] };
      },
      open: ({ agent, sessionId }) => sessions.open(agent, sessionId),
    });
    const report = await blame([store], { target: "src/gemini-made.js", cwd: day.repo }, envOf(day));
    const own = reports.get("src/gemini-made.js")!;
    expect(report.lines).toEqual(own.lines);
    expect(report.notes).toEqual(["Without den: it is asleep."]);
    expect(report.sessions).toEqual(own.sessions.map((session) => ({ ...session, machine: "box" })));
    // The same session in two places is one author.
    const both = await blame(
      [localSource(sessions), store],
      { target: "src/gemini-made.js", cwd: day.repo },
      envOf(day),
    );
    expect(both.sessions).toEqual(own.sessions);
  });
});

function envOf({ home }: Day): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

function managerOf(made: Day): SessionManager {
  return new SessionManager(new AgentRegistry(), envOf(made));
}

function ask(target: string): Promise<BlameReport> {
  return blame([localSource(managerOf(day))], { target, cwd: day.repo }, envOf(day));
}
