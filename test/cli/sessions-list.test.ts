/** `amux sessions list` with filters, columns, tags, stars and names. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionSummary } from "../../src/core/session.ts";
import type { SessionHit } from "../../src/history/search/results.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";

const CLAUDE = join(import.meta.dirname, "../../src/agents/claude/fixtures/home");
const options = { home: CLAUDE };
const LIST = ["sessions", "list", "--no-counts"];
const ID = "claude:dfb61421-d08a-4f49-8f45-e72d5dab1652";

async function listed(...args: string[]): Promise<SessionSummary[]> {
  return warmJson<SessionSummary[]>([...LIST, ...args], options);
}

describe("amux sessions list", () => {
  it("finds the sessions of a directory and of those below it", async () => {
    const all = await listed();
    const below = all.filter(({ cwd }) => cwd?.startsWith("/home/user/dev/"));
    expect(below.length).toBeGreaterThan(0);
    expect(await listed("--cwd", "/home/user/dev")).toHaveLength(below.length);
    expect(await listed("--cwd", "/home/user/de")).toEqual([]);
    expect(await listed("--cwd", "/")).toHaveLength(all.filter(({ cwd }) => cwd !== undefined).length);
  });

  it("filters by branch, title and file", async () => {
    const onMain = await listed("--branch", "main");
    expect(onMain.length).toBeGreaterThan(0);
    expect(onMain.every(({ branch }) => branch === "main")).toBe(true);
    const titled = await listed("--title", "HEALTH route");
    expect(titled.map(({ unifiedId }) => unifiedId)).toContain(ID);
    expect(titled.every(({ title }) => title.toLowerCase().includes("health route"))).toBe(true);
    expect((await listed("--file", "routes.js")).map(({ unifiedId }) => unifiedId)).toContain(ID);
    expect(await listed("--file", "no-such-file.js")).toEqual([]);
  });

  it("takes the agent as an argument or as --agent, not both", async () => {
    const claude = await listed("claude");
    expect(claude.length).toBeGreaterThan(0);
    expect(await listed("--agent", "claude")).toEqual(claude);
    expect(await listed("--agent", "codex")).toEqual([]);
    const unknown = await warmCli([...LIST, "--agent", "nobody"], options);
    expect(unknown).toMatchObject({ code: (await warmCli([...LIST, "nobody"], options)).code });
    const twice = await warmCli([...LIST, "claude", "--agent", "codex"], options);
    expect(twice).toMatchObject({ code: 2 });
    expect(twice.stderr).toContain("The agent is given twice");
  });

  it("sorts by how long sessions took", async () => {
    const times = (await listed("--sort", "duration")).map(
      ({ createdAt, updatedAt }) => Date.parse(String(updatedAt)) - Date.parse(String(createdAt)),
    );
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  it("finds a model by a part of its id, and sorts by tokens and title", async () => {
    const opus = await warmJson<SessionSummary[]>(["sessions", "list", "--model", "OPUS", "--sort", "tokens"], options);
    expect(opus.length).toBeGreaterThan(1);
    const tokens = opus.map(
      ({ cost: c }) => c!.inputTokens + c!.outputTokens + c!.cachedTokens! + c!.cacheWriteTokens!,
    );
    expect(tokens).toEqual([...tokens].sort((a, b) => b - a));
    expect(await listed("--model", "no-such-model")).toEqual([]);
    const titles = (await listed("--sort", "title")).map(({ title }) => title);
    expect(titles).toEqual([...titles].sort(new Intl.Collator(undefined, { numeric: true }).compare));
    const backwards = (await listed("--sort", "title", "--reverse")).map(({ title }) => title);
    expect(backwards[0]).toBe(titles.at(-1));
    const shown = await warmCli(["sessions", "list", "--columns", "tokens,title", "--model", "opus"], options);
    expect(shown.stdout).toMatch(/^ *TOKENS +TITLE\n *[\d.]+[KM]? {2}/);
  });

  it("shows dates, and the columns that were asked for", async () => {
    const usual = await warmCli([...LIST, "--title", "health route"], options);
    expect(usual.stdout).toMatch(/^DATE +AGENT +ID +TITLE/);
    expect(usual.stdout).toMatch(/\n15 Nov(?: 2026)? \d\d:\d\d +claude/);
    const chosen = await warmCli([...LIST, "--columns", "duration,title,branch"], options);
    expect(chosen.stdout).toMatch(/^DURATION +TITLE +BRANCH\n/);
    const wrong = await warmCli([...LIST, "--columns", "colour"], options);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain('not "colour"');
  });
});

describe("tags, stars and names of past sessions", () => {
  it("are shown, found and removed again, and leave the agent's files alone", async () => {
    const home = tempHome(CLAUDE).path;
    const own = { home };
    const run = async (...args: string[]): Promise<void> => {
      expect(await warmCli(args, own)).toMatchObject({ code: 0, stderr: "" });
    };
    await run("sessions", "tag", "claude:dfb61421", "release", "urgent");
    await run("sessions", "star", "claude:dfb61421");
    await run("sessions", "rename", "claude:dfb61421", "the health route");
    const [only, ...others] = await warmJson<SessionSummary[]>([...LIST, "--tag", "release"], own);
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      unifiedId: ID,
      title: "the health route",
      tags: ["release", "urgent"],
      starred: true,
    });
    const table = await warmCli([...LIST, "--starred"], own);
    expect(table.stdout).toContain("★ the health route #release #urgent");
    const hits = await warmJson<SessionSummary[]>(["search", "tag:urgent health"], own);
    expect(hits.map(({ unifiedId }) => unifiedId)).toEqual([ID]);
    const tagged = await warmJson<SessionSummary[]>(["search", "tag:urgent"], own);
    expect(tagged.map(({ unifiedId }) => unifiedId)).toEqual([ID]);
    const found = await warmCli(["search", "tag:urgent", "--as-found"], own);
    expect(found.stdout).toContain("the health route");
    expect(await warmCli(["search", "health NOT tag:urgent"], own)).toMatchObject({ code: 2, stdout: "" });
    const report = await warmJson<{ breakdowns: object }>(["cost", "report", "--group-by", "tag"], own);
    expect(Object.keys(report.breakdowns)).toContain("release");

    await run("sessions", "tag", ID, "urgent", "--remove");
    await run("sessions", "star", ID, "--remove");
    await run("sessions", "rename", ID, "");
    const [plain] = await warmJson<SessionSummary[]>([...LIST, "--tag", "release"], own);
    expect(plain).toMatchObject({ title: "Add a GET /health route and run the tests", tags: ["release"] });
    expect(plain).not.toHaveProperty("starred");
  });

  it("are not overwritten when their file is damaged, and the file is named", async () => {
    const home = tempHome(CLAUDE);
    const path = home.write(".amux/session-labels.json", "{ torn");
    const vars = { AMUX_HOME: join(home.path, ".amux") };
    const { code, stderr } = await warmCli(["sessions", "star", "claude:dfb61421"], { home: home.path, vars });
    expect(code).not.toBe(0);
    expect(stderr).toContain("session-labels.json cannot be read");
    expect(readFileSync(path, "utf8")).toBe("{ torn");
    expect((await warmCli(LIST, { home: home.path, vars })).code).toBe(0);
    home.write(".amux/session-labels.json", "[]");
    const list = await warmCli(["sessions", "star", "claude:dfb61421"], { home: home.path, vars });
    expect(list.stderr).toContain("session-labels.json cannot be read: it is not a JSON object");
    expect(readFileSync(path, "utf8")).toBe("[]");
  });

  it("keep what another version wrote", async () => {
    const home = tempHome(CLAUDE);
    const path = home.write(".amux/session-labels.json", JSON.stringify({ [ID]: { color: "red" }, "claude:x": 1 }));
    const vars = { AMUX_HOME: join(home.path, ".amux") };
    for (const words of [
      ["star", ID],
      ["star", ID, "--remove"],
    ])
      expect(await warmCli(["sessions", ...words], { home: home.path, vars })).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ [ID]: { color: "red" }, "claude:x": 1 });
  });

  it("say that a run's own tag cannot be removed", async () => {
    const home = tempHome(CLAUDE);
    const run = { v: 1, runId: "r", agent: "claude", sessionId: ID.slice("claude:".length), tags: ["nightly"] };
    home.write(".amux/run-index.jsonl", `${JSON.stringify(run)}\n`);
    const own = { home: home.path, vars: { AMUX_HOME: join(home.path, ".amux") } };
    const { code, stderr } = await warmCli(["sessions", "tag", ID, "nightly", "--remove"], own);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "The tag nightly stays: the run was started with it.\n" });
    expect(await warmJson<SessionSummary[]>([...LIST, "--tag", "nightly"], own)).toHaveLength(1);
  });

  it("find a session by the name it was given, and mark the words there", async () => {
    const own = { home: tempHome(CLAUDE).path };
    await warmCli(["sessions", "rename", ID, "zebra crossing"], own);
    for (const query of ["zebra crossing", "title:zebra", "title:zebra title:health"]) {
      const [hit, ...others] = await warmJson<SessionHit[]>(["search", query, "--exact"], own);
      expect(others).toEqual([]);
      expect(hit).toMatchObject({ unifiedId: ID, title: "zebra crossing" });
    }
    const [hit] = await warmJson<SessionHit[]>(["search", "crossing", "--exact"], own);
    expect(hit!.titleMarks).toEqual([{ start: 6, end: 14 }]);
    const titled = await warmJson<SessionHit[]>(["search", "health", "--exact"], own);
    expect(titled.find(({ unifiedId }) => unifiedId === ID)!.titleMarks).toEqual([]);
  });
});

describe("amux search", () => {
  it("treats the last word as a prefix, unless --exact is given", async () => {
    const found = async (...args: string[]): Promise<number> =>
      (await warmJson<unknown[]>(["search", ...args], options)).length;
    expect(await found("heal")).toBeGreaterThan(0);
    expect(await found("heal", "--exact")).toBe(0);
  });

  it("hints at what the words would find as prefixes", async () => {
    const { code, stdout, stderr } = await warmCli(["search", "healthing routed"], options);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/amux search 'health\* rout\*'/);
  });

  it("says which sessions changed a file, and where", async () => {
    const { stdout } = await warmCli(["search", "edited:routes.js"], options);
    expect(stdout).toContain(ID);
    expect(stdout).toMatch(/#3 assistant \(Edit\) .*routes\.js/);
  });
});

describe("sessions that failed", () => {
  it("are those that end in an error", async () => {
    const home = tempHome();
    const common = { timestamp: "2026-01-02T03:04:05.000Z", cwd: "/srv", version: "2.1.0" };
    const wrote = (sessionId: string, ...said: string[]): string => {
      const prompt = { type: "user", uuid: "u", parentUuid: null, message: { role: "user", content: said[0] } };
      const replies = said.slice(1).map((text, at) => ({
        type: "assistant",
        uuid: `a${at}`,
        parentUuid: at === 0 ? "u" : `a${at - 1}`,
        message: { id: `m${at}`, role: "assistant", model: "claude-opus-4-5", content: [{ type: "text", text }] },
      }));
      const lines = [prompt, ...replies].map((line) => `${JSON.stringify({ ...line, ...common, sessionId })}\n`);
      return home.write(`.claude/projects/-srv/${sessionId}.jsonl`, lines.join(""));
    };
    wrote("00000001-0000-4000-8000-000000000000", "go", "API Error: 529 overloaded");
    wrote("00000002-0000-4000-8000-000000000000", "go", "API Error: 529 overloaded", "done");
    wrote("00000003-0000-4000-8000-000000000000", "API Error: why?");
    const found = await warmJson<SessionSummary[]>([...LIST, "--failed"], { home: home.path });
    expect(found.map(({ unifiedId }) => unifiedId)).toEqual(["claude:00000001-0000-4000-8000-000000000000"]);
  });
});
