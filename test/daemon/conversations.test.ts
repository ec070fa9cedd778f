import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { askRunner } from "../../src/client/runner-http.ts";
import { FileService } from "../../src/daemon/files/file-service.ts";
import type { SessionMeta } from "../../src/protocol/runner-api.ts";
import { waitFor } from "../support/wait-for.ts";
import { AgentMachine, rowWith } from "./support/agent-machine.ts";
import { sharedMachine } from "./support/shared-daemon.ts";
import { AMUX } from "./support/test-daemon.ts";

/** One prompt in a terminal outside of amux. */
async function outside(test: AgentMachine, cwd: string, args: string[], prompt: string): Promise<void> {
  const child = spawn("claude", args, { cwd, env: test.vars, stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.end(`${prompt}\n`);
  await once(child, "close");
}

describe("conversations on disk", () => {
  const archived = join(import.meta.dirname, "../../src/agents/codex/fixtures/home/.codex/archived_sessions");
  const titles = ["Add a health route", "Add a login route", "Where am I?", "one", "two"];
  let keys: string[] = [];
  /** Each test has its own conversations. */
  const shared = sharedMachine((atEnd) => {
    const test = new AgentMachine({}, atEnd);
    const cwd = test.project("shop");
    keys = titles.map((title, at) => test.old(at + 1, title, cwd));
    const transcript = fileOf(test, keys[2]!);
    writeFileSync(transcript, readFileSync(transcript, "utf8").replaceAll(`"cwd":${JSON.stringify(cwd)},`, ""));
    cpSync(archived, join(test.userHome, ".codex/archived_sessions"), { recursive: true });
    return test;
  });

  function fileOf(test: AgentMachine, key: string): string {
    const project = test.project("shop").replace(/[^A-Za-z0-9]/g, "-");
    return join(test.userHome, ".claude/projects", project, `${key}.jsonl`);
  }

  it("are resumable rows, the same after a restart, hidden when dismissed and marked while archived", async () => {
    const test = shared();
    const [key] = keys as [string];
    const row = await rowWith(test, key);
    expect(row).toEqual({
      id: expect.stringMatching(/^sess-[a-z0-9]{8}$/) as string,
      created_at: "2026-01-02T03:04:05.000Z",
      command: ["claude", "--resume", key],
      cwd: test.project("shop"),
      kind: "claude",
      alive: false,
      title: "Add a health route",
      status: null,
      unread: false,
      resumable: true,
      resume_key: key,
      slug: key,
      stale: false,
    });

    const [dismissed, other] = keys.slice(3) as [string, string];
    const hidden = await rowWith(test, dismissed);
    await rowWith(test, other);
    await test.ask("POST", `/v1/sessions/${hidden.id}/dismiss`);
    const listed = (await test.sessions()).map(({ resume_key }) => resume_key);
    expect([listed.includes(other), listed.includes(dismissed)]).toEqual([true, false]);
    await test.ask("POST", `/v1/sessions/${hidden.id}/restore`);
    expect((await rowWith(test, dismissed)).id, "undone").toBe(hidden.id);
    await test.ask("POST", `/v1/sessions/${hidden.id}/dismiss`);

    const [name = ""] = readdirSync(archived);
    const codex = join(test.userHome, ".codex");
    const old = name.slice(-"01a1dce4-a2f9-7c83-835c-ef0c5eede3bc.jsonl".length, -".jsonl".length);
    expect(await rowWith(test, old)).toMatchObject({ kind: "codex", archived: true, resumable: true });

    await test.kill("SIGKILL");
    mkdirSync(join(codex, "sessions/2026/11/15"), { recursive: true });
    renameSync(join(codex, "archived_sessions", name), join(codex, "sessions/2026/11/15", name));
    await test.start();
    expect(await rowWith(test, key)).toEqual(row);
    await rowWith(test, dismissed);
    expect(await rowWith(test, old)).not.toHaveProperty("archived");
  });

  it("are resumed under the same id, linked from the first moment", async () => {
    const test = shared();
    const [, key] = keys as [string, string];
    const row = await rowWith(test, key);
    await Promise.all([1, 2].map(() => test.data("POST", `/v1/sessions/${row.id}/resume`)));
    expect(await test.session(row.id)).toMatchObject({
      alive: true,
      title: "Add a login route",
      resume_key: key,
      created_at: row.created_at,
    });
    await waitFor("its start", async () =>
      (await test.ask("GET", `/v1/sessions/${row.id}/text`)).text.includes(`resumed ${key}`),
    );
    expect(await test.how(row.id)).toBe("told");
    await test.ask("POST", `/v1/sessions/${row.id}/kill`);
    expect((await test.sessions()).filter(({ resume_key }) => resume_key === key)).toEqual([
      expect.objectContaining({ id: row.id, alive: false, status: null, command: ["claude", "--resume", key] }),
    ]);
  });

  it("are listed without a known directory too, and resume where new sessions start", async () => {
    const test = shared();
    const key = keys[2]!;
    const row = await rowWith(test, key);
    expect(row).toMatchObject({ cwd: "", title: "Where am I?", resumable: true });
    expect(row).not.toHaveProperty("workspace_root");
    await test.data("POST", `/v1/sessions/${row.id}/resume`);
    expect(await test.session(row.id)).toMatchObject({ alive: true, cwd: test.userHome, resume_key: key });
  });
});

describe("the conversation of a live session", () => {
  let old: string[] = [];
  /** Each test has its own directories. */
  const shared = sharedMachine((atEnd) => {
    const test = new AgentMachine({}, atEnd);
    old = ["named", "elsewhere", "told"].map((name, at) => test.old(at + 1, "Add a health route", test.project(name)));
    test.old(4, "Write docs", test.project("named"));
    return test;
  });
  const hooked = sharedMachine((atEnd) => new AgentMachine({ FAKE_HOOKS: "1" }, atEnd));

  it("is known from the agent's hook, and changes with /clear and /resume", async () => {
    const test = hooked();
    const cwd = test.project("shop");
    const id = await test.agent(cwd);
    const twin = await test.agent(cwd);
    const first = await test.prompt(id, "the first thing");
    const other = await test.prompt(twin, "something else");
    await test.until("its title", id, ({ title, resume_key }) => title === "the first thing" && resume_key === first);
    await test.until(
      "the other's",
      twin,
      ({ title, resume_key }) => title === "something else" && resume_key === other,
    );
    // The screen may tell before the hook, which the agent calls while it answers.
    await expect.poll(() => Promise.all([test.how(id), test.how(twin)])).toEqual(["told", "told"]);
    await test.say(id, "/clear", "cleared");
    const second = await test.prompt(id, "the second thing");
    await test.until(
      "the new title",
      id,
      ({ title, resume_key }) => title === "the second thing" && resume_key === second,
    );
    await test.say(id, `/resume ${first}`, `now in ${first}`);
    await test.prompt(id, "back again");
    await test.until(
      "the old title",
      id,
      ({ title, resume_key }) => title === "the first thing" && resume_key === first,
    );
    await test.kill("SIGKILL");
    await test.start();
    expect(await test.session(id)).toMatchObject({ resume_key: first, title: "the first thing", alive: true });
    expect(await test.how(id)).toBe("told");
  });

  it("is guessed from directory and time without reports, and marked as a guess", async () => {
    const test = shared();
    const id = await test.agent(test.project("guessed"));
    const elsewhere = await test.agent(test.project("guessed-other"));
    const key = await test.prompt(id, "what am I");
    await test.until("its title", id, ({ title, resume_key }) => title === "what am I" && resume_key === key);
    expect(await test.how(id)).toBe("guessed");
    expect(await test.session(elsewhere)).not.toHaveProperty("resume_key");
    await test.say(id, "/clear", "cleared");
    const next = await test.prompt(id, "and now");
    await test.until("the next title", id, ({ title, resume_key }) => title === "and now" && resume_key === next);
    await test.ask("POST", `/v1/sessions/${id}/kill`);
    expect(await test.session(id)).toMatchObject({ alive: false, command: ["claude", "--resume", next], status: null });
  });

  it("shows what an agent without hooks does, and its title to clients of the runner", async () => {
    const test = shared();
    const id = await test.agent(test.project("titled"));
    await waitFor("its start", async () => (await test.ask("GET", `/v1/sessions/${id}/text`)).text.includes("fake "));
    await test.say(id, "/think Fix the auth bug", "thinking");
    await test.until("its work", id, ({ status }) => status?.working === true);
    expect(await test.session(id)).toMatchObject({ title: "Fix the auth bug", unread: false });
    const { socket } = test.shim.files(id);
    const meta = JSON.parse((await askRunner(socket, { method: "GET", path: "/meta" })).body.toString()) as SessionMeta;
    expect(meta).toMatchObject({ title: "Fix the auth bug", adapter_title: "Fix the auth bug" });
    expect(meta.state).toMatchObject({ state: "working", source: "transcript" });
    await test.say(id, "/done", "done with it");
    await test.until("the end of its turn", id, ({ status, unread }) => status === null && unread);
  });

  it("is found however its directory was written", async () => {
    const test = shared();
    const real = test.project("written");
    symlinkSync(real, join(test.userHome, "link"));
    for (const [number, cwd] of [join(test.userHome, "link"), `${real}/`, `${real}/../written`].entries()) {
      const id = await test.agent(cwd);
      const key = await test.prompt(id, `prompt ${number}`);
      const session = await test.until("its key", id, ({ resume_key }) => resume_key === key);
      expect(session.cwd, "as the agent itself names it").toBe(real);
      await test.ask("POST", `/v1/sessions/${id}/kill`);
    }
  });

  it("is the one its command line names, until it moves to another", async () => {
    const test = shared();
    const cwd = test.project("named");
    const [key] = old as [string];
    await rowWith(test, key);
    // As a user types it, not as the daemon resumes.
    const id = await test.shim.spawn({ command: ["claude", `--resume`, key], kind: "claude", cwd, env: test.vars });
    await test.until("its key", id, ({ resume_key }) => resume_key === key);
    expect((await test.conversation(id))?.by).toBe("command");
    expect((await test.sessions()).filter(({ resume_key }) => resume_key === key).length, "one row").toBe(1);
    await test.say(id, "/clear", "cleared");
    const words = "write the documentation of the health route";
    const next = await test.prompt(id, words);
    await test.until("the next", id, ({ resume_key, title }) => resume_key === next && title === words);
    expect(await test.conversation(id), "its own words are on its screen").toMatchObject({
      how: "guessed",
      by: "screen",
    });
    await test.kill("SIGKILL");
    await test.start();
    await rowWith(test, key);
    expect(await test.session(id), "not what it was started on").toMatchObject({ resume_key: next });
  });

  it("is not replaced by one that is resumed elsewhere, and resume opens its own", async () => {
    const test = shared();
    const cwd = test.project("elsewhere");
    const [, other] = old as [string, string];
    await rowWith(test, other);
    const id = await test.agent(cwd);
    const own = await test.prompt(id, "mine, inside");
    await test.until("its key", id, ({ resume_key }) => resume_key === own);
    await outside(test, cwd, ["--resume", other], "and once more, outside");
    // When this one is seen, everything written earlier has been seen.
    const later = await test.agent(test.project("elsewhere-later"));
    const last = await test.prompt(later, "the last word");
    await test.until("it", later, ({ resume_key }) => resume_key === last);
    expect(await test.session(id)).toMatchObject({ resume_key: own, title: "mine, inside" });
    await test.ask("POST", `/v1/sessions/${id}/kill`);
    expect((await test.session(id))?.command).toEqual(["claude", "--resume", own]);
    expect(await test.data("POST", `/v1/sessions/${id}/resume`), "and says that it is a guess").toMatchObject({
      session_id: id,
      guessed: true,
    });
  });

  it("is not one that began elsewhere, if its launch has named it", async () => {
    const test = shared();
    const cwd = test.project("told");
    const key = old[2]!;
    const row = await rowWith(test, key);
    await test.ask("POST", `/v1/sessions/${row.id}/resume`);
    await test.until("its life", row.id, ({ alive }) => alive);
    expect(await test.how(row.id)).toBe("told");
    await outside(test, cwd, [], "something else, outside");
    // When this one is seen, everything written earlier has been seen.
    const later = await test.agent(test.project("told-later"));
    const last = await test.prompt(later, "the last word");
    await test.until("it", later, ({ resume_key }) => resume_key === last);
    expect(await test.session(row.id)).toMatchObject({ resume_key: key, title: "Add a health route", alive: true });
  });

  it("is found from the screen when directory and time do not decide, and marked so", async () => {
    const test = shared();
    const cwd = test.project("screens");
    const [one, two] = await Promise.all([test.agent(cwd), test.agent(cwd)]);
    const first = await test.prompt(one, "please make the login page of the shop blue");
    const second = await test.prompt(two, "write the documentation of the health route");
    await test.until("the first", one, ({ resume_key }) => resume_key === first);
    await test.until("the second", two, ({ resume_key }) => resume_key === second);
    const grounds = [await test.conversation(one), await test.conversation(two)];
    expect(grounds.map((known) => known?.how)).toEqual(["guessed", "guessed"]);
    expect(grounds.map((known) => known?.by)).toContain("screen");
  });

  it("can be read while it continues", async () => {
    const test = hooked();
    const id = await test.agent(test.project("read"));
    expect((await test.ask("GET", `/v1/sessions/${id}/transcript`)).error?.code).toBe("no_conversation");
    const key = await test.prompt(id, "hello");
    await test.until("its key", id, ({ resume_key }) => resume_key === key);
    const transcript = await test.data<{ unifiedId: string; messages: { role: string; content: string }[] }>(
      "GET",
      `/v1/sessions/${id}/transcript`,
    );
    expect(transcript.unifiedId).toBe(`claude:${key}`);
    expect(transcript.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "hello"],
      ["assistant", "answer to hello"],
    ]);
    const part = await test.data<{ from: number; messages: unknown[] }>(
      "GET",
      `/v1/sessions/${id}/transcript?from=1&limit=5`,
    );
    expect([part.from, part.messages.length]).toEqual([1, 1]);
  });
});

describe("history through the daemon", () => {
  it("is JSON for every program, however deeply a session is nested and wherever its texts were cut", async () => {
    const test = new AgentMachine();
    const cwd = test.project("shop");
    const cut = test.old(1, "cut inside of \ud83d", cwd);
    const deep = test.old(2, "deep", cwd);
    const path = join(test.userHome, ".claude", "projects", cwd.replace(/[^A-Za-z0-9]/g, "-"), `${deep}.jsonl`);
    const input = `{"x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const call = `{"type":"tool_use","id":"t","name":"Bash","input":${input}}`;
    writeFileSync(path, readFileSync(path, "utf8").replace('"content":[', `"content":[${call},`));
    await test.start();
    for (const of of [
      "?agent=claude",
      "/search?q=copper",
      `/claude:${cut}`,
      `/diff?a=claude:${cut}&b=claude:${deep}`,
    ]) {
      const { status, text } = await test.ask("GET", `/v1/history${of}`);
      expect([of, status]).toEqual([of, 200]);
      expect(text).toContain("cut inside of \ufffd");
      expect(text).not.toContain("\\ud");
    }
    expect((await test.ask("GET", "/v1/sessions")).text).not.toContain("\\ud");
    const { messages } = await test.data<{ messages: unknown[] }>("GET", `/v1/history/claude:${deep}`);
    expect(JSON.stringify(messages[1])).toContain("[nested too deep]");
  });

  it("lists, searches, shows, compares, exports and prices", async () => {
    const test = new AgentMachine();
    const [a, b] = [
      test.old(1, "Add a health route", test.project("shop")),
      test.old(2, "Write docs", test.project("docs")),
    ];
    await test.start();
    const list = await test.data<{ unifiedId: string; title: string }[]>("GET", "/v1/history?agent=claude");
    expect(list.map(({ unifiedId }) => unifiedId).sort()).toEqual([`claude:${a}`, `claude:${b}`]);
    const hits = await test.data<{ sessionId: string }[]>("GET", "/v1/history/search?q=%22copper%20mug%202%22");
    expect(hits.map(({ sessionId }) => sessionId)).toEqual([b]);
    const counted = async (query: string): Promise<object> =>
      (await test.data<object[]>("GET", `/v1/history/search?q=%22copper%20mug%202%22${query}`))[0]!;
    const counts = { turnCount: 1, messageCount: 2, cost: { outputTokens: 50 } };
    expect(await counted(""), "as the library does").toMatchObject(counts);
    expect(await counted("&counts=true")).toMatchObject(counts);
    expect(await counted("&counts=false")).toMatchObject({ partial: true });
    const one = await test.data<{ title: string; messages: unknown[] }>("GET", `/v1/history/claude:${a}`);
    expect([one.title, one.messages.length]).toEqual(["Add a health route", 2]);
    const diff = await test.data<{ stats: object }>("GET", `/v1/history/diff?a=claude:${a}&b=claude:${b}`);
    expect(diff.stats).toEqual({ additions: 0, removals: 0, modifications: 2, unchanged: 0 });
    const markdown = await test.ask("GET", `/v1/history/claude:${a}?format=markdown`);
    expect(markdown.text).toContain("# Add a health route");
    const cost = await test.data<{ requestCount: number; totalUsd: number; breakdowns: object }>(
      "GET",
      "/v1/cost?group_by=agent",
    );
    expect(cost).toMatchObject({ requestCount: 2, breakdowns: { claude: { requestCount: 2 } } });
    expect(cost.totalUsd).toBeCloseTo(2 * (100 * 3e-6 + 50 * 15e-6), 9);
    const csv = await test.ask("GET", "/v1/cost.csv?group_by=day");
    expect(csv.text.split("\r\n").slice(0, 2)).toEqual([
      expect.stringMatching(/^day,usd,kind,requests,sessions,input_tokens/) as string,
      expect.stringMatching(/^2026-01-02,0\.0021,lower-bound,2,2,200,/) as string,
    ]);
    const facet = (value: string, count: number) => ({ key: value, count });
    const today = new Date().toISOString().slice(0, 10);
    const facets = await test.data<{ days: { key: string }[] }>("GET", "/v1/history/facets?q=copper");
    expect(facets).toEqual({
      total: 2,
      agents: [facet("claude", 2)],
      projects: [facet(test.project("docs"), 1), facet(test.project("shop"), 1)],
      models: [facet("claude-sonnet-4-5", 2)],
      days: [facet("2026-01-02", 2)],
    });
    expect(await test.data("GET", "/v1/history/facets"), "of everything").toMatchObject({ total: 2 });
    expect(await test.data("GET", "/v1/history/facets?q=%22mug%202%22")).toMatchObject({ total: 1 });
    const overview = await test.data<object>("GET", "/v1/overview?since=2026-01-01&days=3000&time_zone=UTC");
    expect(overview).toMatchObject({
      since: "2026-01-01T00:00:00.000Z",
      time_zone: "UTC",
      days: [{ day: "2026-01-02", sessions: 2, requests: 2, output_tokens: 100 }],
      changed_count: 2,
      requests: 2,
    });
    for (const path of ["overview", "cost", "fleet/cost"]) {
      const lost = await test.ask("GET", `/v1/${path}?time_zone=Nowhere/City`);
      expect(lost, path).toMatchObject({ status: 400, error: { message: expect.stringContaining("not a time zone") } });
    }
    expect(await test.data("GET", `/v1/overview?since=${today}`)).toMatchObject({
      changed: [],
      changed_count: 0,
      usd: 0,
    });
    expect((await test.ask("GET", "/v1/history/claude:nothing")).error?.code).toBe("not_found");
    expect((await test.ask("GET", "/v1/history/nobody:x")).error?.code).toBe("not_found");
  });

  it("ends the work when the client leaves", async () => {
    const test = new AgentMachine();
    const key = test.old(1, "one", test.project("shop"));
    const problems: unknown[] = [];
    // The reader writes its cache to amux's home, which the daemon would have created.
    const env = { home: test.userHome, platform: process.platform, vars: { AMUX_HOME: test.userHome } };
    const files = new FileService(
      env,
      { onNews: () => undefined, onProblem: (what) => problems.push(what) },
      { file: join(dirname(AMUX), "history-worker.cjs") },
    );
    try {
      const leave = new AbortController();
      const search = files.read({ kind: "search", query: { text: "mug" } }, leave.signal).next();
      // By now the other process has sent no message.
      leave.abort();
      await expect(search).rejects.toMatchObject({ code: "ABORTED" });
      // The reader keeps serving others.
      const page = { session: { agent: "claude", sessionId: key }, from: 0, limit: 10, subagents: false };
      let text = "";
      for await (const piece of files.read({ kind: "transcript", ...page })) text += piece;
      expect(JSON.parse(text)).toMatchObject({ title: "one" });
      expect(problems).toEqual([]);
    } finally {
      await files.close();
    }
  });
});
