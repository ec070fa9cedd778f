import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFirstDay } from "../../bench/blame-first-day.mjs";
import { Day } from "../../bench/blame-repository.mjs";
import type { CommitCosts } from "../../src/changes/blame/commit-cost.ts";
import type { CostSummary } from "../../src/core/cost.ts";
import { checkedJson } from "../docs/schemas/index.ts";
import { warmCli } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";

/** To the thousandth of a micro-dollar. */
const nano = (usd: number): number => Math.round(usd * 1e9);

const sum = (amounts: readonly { totalUsd: number }[]): number =>
  amounts.reduce((total, { totalUsd }) => total + nano(totalUsd), 0);

function madeDay(): { day: Day; options: { home: string; cwd: string } } {
  const day = makeFirstDay(realpathSync(tempHome().path));
  return { day, options: { home: day.home, cwd: day.repo } };
}

it("divides what sessions cost among their commits, and adds up to the cost report", async () => {
  const { day, options } = madeDay();
  const costs = (await checkedJson("cost commits", ["--since", "2026-05-01"], options)) as CommitCosts;
  const report = (await checkedJson(
    "cost report",
    ["--since", "2026-05-01", "--group-by", "session"],
    options,
  )) as CostSummary;
  expect(report.totalUsd).toBeGreaterThan(0);
  expect(nano(costs.totalUsd)).toBe(nano(report.totalUsd));
  expect(sum([...costs.commits, costs.rest])).toBe(nano(costs.totalUsd));
  for (const { totalUsd, sessions } of [...costs.commits, costs.rest]) expect(sum(sessions)).toBe(nano(totalUsd));
  for (const [id, { totalUsd }] of Object.entries(report.breakdowns!)) {
    const shares = [...costs.commits, costs.rest].flatMap(({ sessions }) => sessions);
    expect(sum(shares.filter(({ unifiedId }) => unifiedId === id)), id).toBe(nano(totalUsd));
  }
  const subjects = costs.commits.map(({ subject }) => subject);
  expect(subjects).toContain("Add steps with three agents");
  expect(subjects).toContain("Squash a branch");
  expect(subjects).not.toContain("Write a readme");
  const three = costs.commits.find(({ subject }) => subject === "Add steps with three agents")!;
  expect(three.sessions.map(({ unifiedId }) => unifiedId).sort()).toEqual(
    day.sessions
      .slice(0, 3)
      .map(({ agent, id }) => `${agent}:${id}`)
      .sort(),
  );

  const { stdout } = await warmCli(["cost", "commits", "--since", "2026-05-01", "--cwd", day.repo], { home: day.home });
  expect(stdout).toMatch(/^COMMIT +WHEN +COST +PROVED +NEAR$/m);
  expect(stdout).toMatch(/^[0-9a-f]{10} Squash a branch /m);
  expect(stdout).toMatch(/^total +≥?\$/m);
});

it("a session's cost in a period without its commits is in a row of its own", async () => {
  const { options } = madeDay();
  const all = (await checkedJson("cost commits", ["--since", "2026-05-01"], options)) as CommitCosts;
  const first = all.commits.at(-1)!;
  const until = new Date(Date.parse(first.at) - 1000).toISOString();
  const before = (await checkedJson(
    "cost commits",
    ["--since", "2026-05-01", "--until", until],
    options,
  )) as CommitCosts;
  expect(before.commits).toEqual([]);
  expect(before.totalUsd).toBeGreaterThan(0);
  expect(nano(before.rest.totalUsd)).toBe(nano(before.totalUsd));
});

it("a pull request costs its part of its sessions, and its squashed copy counts only once", async () => {
  const day = new Day(realpathSync(tempHome().path));
  day.type("src/shop.js", 0, 0, day.code());
  day.commit("Import the shop");
  const base = day.git("rev-parse", "HEAD").trim();
  day.git("checkout", "-q", "-b", "feature");
  const session = day.session("claude");
  day.create(session, "src/first.js", day.code(6));
  day.commit("Work on a branch");
  const head = day.git("rev-parse", "HEAD").trim();
  day.git("checkout", "-q", "main");
  day.git("merge", "-q", "--squash", "feature");
  day.commit("Squash a branch");
  day.create(session, "src/second.js", day.code(6));
  day.commit("Something else");
  const bin = join(day.home, "bin");
  mkdirSync(bin);
  const answer = JSON.stringify({ baseRefOid: base, headRefOid: head });
  writeFileSync(join(bin, "gh"), `#!/bin/sh\necho '${answer}'\n`);
  chmodSync(join(bin, "gh"), 0o755);
  const vars = { PATH: `${bin}:${process.env["PATH"]}` };
  const options = { home: day.home, cwd: day.repo, vars };
  const costs = (await checkedJson("cost commits", ["--pr", "7"], options)) as CommitCosts;
  expect(costs).toMatchObject({
    pullRequest: 7,
    commits: [{ commit: head, subject: "Work on a branch", sessions: [{ unifiedId: `claude:${session.id}` }] }],
  });
  expect(costs.totalUsd).toBeGreaterThan(0);
  // Both files have the same number of lines.
  expect(Math.abs(nano(costs.commits[0]!.totalUsd) - nano(costs.rest.totalUsd))).toBeLessThanOrEqual(1);
  expect(sum([...costs.commits, costs.rest])).toBe(nano(costs.totalUsd));
});

it("says in a sentence what it cannot do", async () => {
  const { day } = madeDay();
  const outside = await warmCli(["cost", "commits"], { home: day.home, cwd: day.home });
  expect(outside.stderr).toContain("is not in a git repository");
  const both = await warmCli(["cost", "commits", "--pr", "7", "--since", "7d"], { home: day.home, cwd: day.repo });
  expect(both.stderr).toContain("leave out --since and --until");
});
