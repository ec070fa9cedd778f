import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeFirstDay } from "../../bench/blame-first-day.mjs";
import { judgeLines, judgeRemoved, type Day } from "../../bench/blame-repository.mjs";
import { makeSecondDay } from "../../bench/blame-second-day.mjs";
import { removeTree } from "../../scripts/remove-tree.mjs";
import type { AgentEnv } from "../../src/agents/adapter.ts";
import type { SessionManager } from "../../src/history/manager.ts";
import type { AgentName } from "../../src/core/session.ts";
import { sessionChanges } from "../../src/changes/diff/session-changes.ts";
import { blame, localSource } from "../../src/changes/blame/blame.ts";
import type { BlameReport } from "../../src/changes/blame/blame-report.ts";
import { foreignSource } from "../../src/changes/blame/foreign-source.ts";
import { standingSessions } from "../support/standing-sessions.ts";

let directory: string;
const days: Record<string, Day> = {};
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "amux-blame-")));
  days["first"] = makeFirstDay(made("first"));
  days["second"] = makeSecondDay(made("second"));
});

afterAll(() => removeTree(directory));

describe("days with known authors have nothing that is said to be proved and is somebody else's", () => {
  // Lines of sessions that are not proved: formatted, repeated, typed again, moved, written by a shell.
  it.each([
    ["first", 0.5],
    ["second", 0.3],
  ])("lines of files: %s", async (name, share) => {
    const judged = await judgeLines(days[name]!, rangesOf(days[name]!));
    expect(judged.wrongProved).toEqual([]);
    expect(judged.wrongNear.length / judged.lines).toBeLessThan(0.1);
    expect(judged.proved / judged.bySessions).toBeGreaterThan(share);
  });

  it.each(["first", "second"])("lines that commits took away: %s", async (name) => {
    const judged = await judgeRemoved(days[name]!, rangesOf(days[name]!));
    expect(judged.wrongProved).toEqual([]);
    expect(judged.proved / judged.bySessions).toBeGreaterThan(0.5);
  });

  it.each(["first", "second"])("changes of sessions: %s", async (name) => {
    expect(await wrongChanges(days[name]!)).toEqual([]);
  });
});

it("sessions are found on another machine too, where only the directory's name is the same", async () => {
  const day = days["first"]!;
  const sessions = managerOf(day);
  const clone = join(made("elsewhere"), "shop");
  day.git("clone", "-q", day.repo, clone);
  const store = foreignSource({
    async list() {
      const rows = await sessions.listAll({ limit: 100, counts: false });
      return { sessions: rows.map((row) => ({ ...row, machine: "box" })), notes: ["Without den: it is asleep."] };
    },
    open: ({ agent, sessionId }) => sessions.open(agent, sessionId),
  });
  const report = await blame([store], { target: "src/gemini-made.js", cwd: clone }, envOf(day));
  const own = await ask(day, "src/gemini-made.js");
  expect(report.lines).toEqual(own.lines);
  expect(report.notes).toEqual(["Without den: it is asleep."]);
  expect(report.sessions).toEqual(own.sessions.map((session) => ({ ...session, machine: "box" })));
  // The same session in two places is one author.
  const both = await blame([localSource(sessions), store], { target: "src/gemini-made.js", cwd: day.repo }, envOf(day));
  expect(both.sessions).toEqual(own.sessions);
});

function envOf({ home }: Day): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

const managers = new WeakMap<Day, SessionManager>();

function managerOf(made: Day): SessionManager {
  const manager = managers.get(made) ?? standingSessions(made.home);
  managers.set(made, manager);
  return manager;
}

/** Lines that `changes` of each session, up to the working tree, says are proved and somebody else's. */
async function wrongChanges(made: Day): Promise<string[]> {
  const wrong: string[] = [];
  let proved = 0;
  for (const { agent, id, repo } of made.sessions) {
    if (repo !== made.repo) continue;
    const subject = {
      session: { agent: agent as AgentName, sessionId: id },
      terminal: { id: "sess-1", cwd: made.repo, isRunning: true },
    };
    const sources = { sessions: managerOf(made), env: envOf(made) };
    const { files } = await sessionChanges(sources, subject, { hunks: true });
    for (const { path, hunks = [] } of files)
      for (const { lines, origin, ranges = [{ start: 0, end: lines.length, origin }] } of hunks)
        for (const range of ranges) {
          if (range.origin.tier !== "proved") continue;
          for (const { kind, newLine, text } of lines.slice(range.start, range.end)) {
            const author = kind === "added" ? made.files.get(path)![newLine! - 1]! : undefined;
            if (author === undefined) continue;
            proved++;
            const isRight = [author.by, author.was].includes(range.origin.sessionId);
            if (!isRight) wrong.push(`${path}:${newLine} ${text} (by ${author.by}, said ${range.origin.sessionId})`);
          }
        }
  }
  expect(proved).toBeGreaterThan(20);
  return wrong;
}

function ask(made: Day, target: string): Promise<BlameReport> {
  return blame([localSource(managerOf(made))], { target, cwd: made.repo }, envOf(made));
}

function rangesOf(made: Day): (target: string) => Promise<BlameReport["ranges"]> {
  return async (target) => (await ask(made, target)).ranges;
}

function made(name: string): string {
  const path = join(directory, name);
  mkdirSync(path);
  return path;
}
