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
});

function ask(target: string): Promise<BlameReport> {
  const env: AgentEnv = { home: day.home, platform: "linux", vars: {} };
  const sessions = new SessionManager(new AgentRegistry(), env);
  return blame([localSource(sessions)], { target, cwd: day.repo }, env);
}
