import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CostExplanation, CostSummary } from "../../src/core/cost.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";

const options = { home: join(import.meta.dirname, "../../src/agents/claude/fixtures/home") };
const REPORT = ["cost", "report"];
const KEYS: Readonly<Record<string, RegExp>> = {
  hour: /^2026-11-1[56] \d\d:00$/,
  week: /^2026-11-(?:09|16)$/,
  month: /^2026-11$/,
};

describe("amux cost report", () => {
  it("nests groupings whose sums are the total's", async () => {
    const report = await warmJson<CostSummary>([...REPORT, "--group-by", "project,session,model"], options);
    const nano = (usd: number): number => Math.round(usd * 1e9);
    const projects = Object.values(report.breakdowns!);
    expect(projects.reduce((sum, group) => sum + nano(group.totalUsd), 0)).toBe(nano(report.totalUsd));
    for (const project of projects) {
      const sessions = Object.values(project.breakdowns!);
      expect(sessions.reduce((sum, group) => sum + nano(group.totalUsd), 0)).toBe(nano(project.totalUsd));
      expect(sessions.every((session) => session.key.startsWith("claude:") && session.breakdowns)).toBe(true);
    }
    expect(report.prices.digest).toMatch(/^[0-9a-f]{16}$/);
  });

  it("explains the total by its requests, to the nano-dollar", async () => {
    const { summary, requests, dropped } = await warmJson<CostExplanation>([...REPORT, "--explain"], options);
    const sum = requests.reduce((total, request) => total + Math.round(request.usd * 1e9), 0);
    expect(sum).toBe(Math.round(summary.totalUsd * 1e9));
    expect(dropped.length).toBeGreaterThan(0);
    for (const copy of dropped) expect(copy.owner).not.toBe(copy.session);
    const computed = requests.filter((request) => request.kind === "computed");
    expect(computed.every((request) => request.price !== undefined)).toBe(true);
  });

  it("explains one session, by a prefix of its id", async () => {
    const { summary, requests } = await warmJson<CostExplanation>([...REPORT, "--explain", "claude:cda20652"], options);
    expect(new Set(requests.map((request) => request.session))).toEqual(
      new Set(["claude:cda20652-4669-479f-8a58-63db24691728"]),
    );
    expect(summary.sessionCount).toBe(1);
    const text = await warmCli([...REPORT, "--explain", "claude:cda20652"], options);
    expect(text.stdout).toMatch(/^claude:cda20652-4669-479f-8a58-63db24691728 {2}\$/);
    expect(text.stdout).toContain("reported by the agent");
  });

  it("shows a fork with copies of an explained session's requests as such, and not as free", async () => {
    const parent = await warmCli([...REPORT, "--explain", "claude:dfb61421"], options);
    const fork = "claude:2f8a60a3-a17c-4232-bd77-c322d9a13839";
    expect(parent.stdout).toContain(
      `\n${fork}  copies only, counted where they were made\n6 copied, billed to claude:dfb61421`,
    );
    const own = await warmCli([...REPORT, "--explain", fork], options);
    expect(own.stdout).toMatch(/^claude:2f8a60a3-\S+ {2}\$0\.0093 {2}2 entries\n/);
  });

  it.each(["hour", "week", "month"])("adds up to the same total by %s", async (group) => {
    const report = await warmJson<CostSummary>([...REPORT, "--group-by", group, "--timezone", "UTC"], options);
    const days = await warmJson<CostSummary>([...REPORT, "--group-by", "day", "--timezone", "UTC"], options);
    const nano = ({ breakdowns = {} }: CostSummary): number =>
      Object.values(breakdowns).reduce((sum, { totalUsd }) => sum + Math.round(totalUsd * 1e9), 0);
    expect(nano(report)).toBe(nano(days));
    expect(report.totalUsd).toBe(days.totalUsd);
    expect(report.timeZone).toBe("UTC");
    // The recordings are of one Sunday and the next Monday.
    for (const key of Object.keys(report.breakdowns!)) expect(key).toMatch(KEYS[group]!);
  });

  it("has the titles of sessions", async () => {
    const args = [...REPORT, "--group-by", "session"];
    const report = await warmJson<CostSummary>(args, options);
    const { title, key } = Object.values(report.breakdowns!).find((row) => row.key.startsWith("claude:dfb61421"))!;
    expect(title).toBe("Add a GET /health route and run the tests");
    const { stdout } = await warmCli(args, options);
    expect(stdout).toMatch(new RegExp(`^SESSION +ID +COST.*\n(?:.*\n)*${title} +${key} `));
  });

  it("compares with the time before", async () => {
    const args = [...REPORT, "--since", "2026-11-15T00:00Z", "--until", "2026-11-15T23:59Z", "--group-by", "model"];
    const plain = await warmJson<CostSummary>(args, options);
    const compared = await warmJson<CostSummary & { before: CostSummary }>([...args, "--compare"], options);
    expect(compared.totalUsd).toBe(plain.totalUsd);
    expect(compared.before.totalUsd).toBe(0);
    expect((await warmCli([...args, "--compare"], options)).stdout).toMatch(/COST +BEFORE +CHANGE .*\n.* new /);
    expect(await warmCli([...REPORT, "--compare"], options)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--compare needs --since") as string,
    });
  });

  it("prints CSV", async () => {
    const { stdout } = await warmCli([...REPORT, "--group-by", "day,model", "--csv"], options);
    const [head, ...rows] = stdout.trimEnd().split("\r\n");
    expect(head).toMatch(/^day,model,usd,kind,/);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.every((row) => row.startsWith("2026-11-1"))).toBe(true);
  });

  it("counts days, and reads dates, in the requested time zone", async () => {
    const days = async (...more: string[]): Promise<string[]> =>
      Object.keys((await warmJson<CostSummary>([...REPORT, "--group-by", "day", ...more], options)).breakdowns!);
    expect(await days("--timezone", "UTC")).toEqual(["2026-11-15"]);
    expect(await days("--timezone", "Pacific/Honolulu")).toEqual(["2026-11-14"]);
    expect(await days("--timezone", "Pacific/Honolulu", "--since", "2026-11-15")).toEqual([]);
  });

  it.each([
    [["--group-by", "day,weather"], "--group-by is one or several (with commas) of agent, model"],
    [["--group-by", "day,day"], '"day,day" names a grouping twice.'],
    [["--timezone", "Middle/Earth"], '"Middle/Earth" is not a time zone'],
    [["claude:cda20652"], 'amux cost report takes a session only with --explain, not "claude:cda20652".'],
    [["--explain", "claude"], '"claude" names no session.'],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await warmCli([...REPORT, ...args], options);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it("prints JSON or CSV, not both", async () => {
    const { code, stdout } = await warmCli([...REPORT, "--json", "--csv"], options);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: "Ask for --json or --csv, not for both." } });
  });
});
