/** Answers are the same with and without the cache, whatever happens to the files. */
import { DatabaseSync } from "@photostructure/sqlite";
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tempHome, type TempHome } from "../../../test/support/temp-home.ts";
import type { SessionReader } from "../../agents/adapter.ts";
import { createClient, type AgentMuxClient } from "../../index.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { Stores } from "../stores.ts";
import { MadeHome } from "../testing/made-home.ts";
import { CacheLost, SessionCache } from "./session-cache.ts";
import type { StoredAccount } from "./stored-account.ts";
import { isLong } from "../../../test/torture/long-form.ts";

const AGENTS = ["claude", "codex"];
const SEEDS = isLong ? [1, 3, 4, 25, 40] : [25];
const ROUNDS = isLong ? 24 : 5;

async function clientOn(
  home: string,
  onTally?: (tally: Pick<SessionReader, "origins"> | undefined) => void,
): Promise<AgentMuxClient> {
  const client = createClient({ env: { home, platform: "linux", vars: {} } });
  if (onTally) {
    for (const name of AGENTS) {
      const adapter = await client.adapters.get(name);
      const history = adapter.history!;
      client.adapters.register({
        ...adapter,
        history: {
          ...history,
          read: (source, env, notes, what) => {
            const reader = history.read(source, env, notes, what);
            if (what !== "text") onTally(reader);
            return reader;
          },
        },
      });
    }
  }
  return client;
}

/** Everything in the cache shows in one of these answers. */
async function answers({ sessions }: AgentMuxClient, index: "fill" | "use" | "none"): Promise<unknown> {
  const limit = Number.POSITIVE_INFINITY;
  return {
    shown: await sessions.listAll({ index, limit }),
    heads: await sessions.listAll({ index, counts: false, limit }),
    exact: await sessions.listAll({ index, counts: true, limit }),
    dearest: await sessions.list("claude", { index, sort: "cost", limit: 3 }),
    ofModel: await sessions.list("claude", { index, model: "claude-opus-5", limit }),
    here: await sessions.listAll({ index, cwd: "/home/user/dev-1", counts: true }),
    total: await sessions.totalCost({ index }),
    cost: await sessions.totalCost({ index, groupBy: ["day", "session", "model"], timeZone: "Asia/Kathmandu" }),
    places: await sessions.totalCost({ index, groupBy: ["project", "branch"] }),
    part: await sessions.totalCost({
      index,
      groupBy: "session",
      since: new Date("2026-05-01T10:07:00Z"),
      until: new Date("2026-05-01T13:03:30Z"),
    }),
  };
}

/** Those that together show every part of the cache. */
async function fewAnswers({ sessions }: AgentMuxClient, index: "fill" | "use" | "none"): Promise<unknown> {
  const limit = Number.POSITIVE_INFINITY;
  return [
    await sessions.listAll({ index, limit }),
    await sessions.listAll({ index, counts: true, limit }),
    await sessions.totalCost({ index, groupBy: ["day", "session", "model"], timeZone: "Asia/Kathmandu" }),
  ];
}

describe("the session cache", () => {
  it.each(SEEDS)("changes no answer, over random changes of the files (%i)", async (seed) => {
    const home = tempHome();
    const made = new MadeHome(home.path, seed);
    let tallies = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (let change = 0; change <= round % 3; change++) made.change();
      // A fork without its parent is never cached, because the parent may return.
      let isLacking = false;
      const filling = await clientOn(home.path, (tally) => {
        tallies++;
        isLacking ||= tally?.origins?.incomplete ?? false;
      });
      const fresh = await answers(await clientOn(home.path), "none");
      expect(await answers(filling, "fill")).toEqual(fresh);
      const before = tallies;
      expect(await answers(filling, "use")).toEqual(fresh);
      // A date range that cuts a sum needs single requests, which are not cached.
      if (!isLacking) expect(tallies - before).toBeLessThanOrEqual(made.count);
    }
  });

  it("is not rebuilt while nothing changes, and only for the changed session", async () => {
    const home = tempHome();
    const made = new MadeHome(home.path, 5);
    for (let i = 0; i < 12; i++) made.add();
    let tallies = 0;
    const client = await clientOn(home.path, () => tallies++);
    const report = (): Promise<unknown> => client.sessions.totalCost({ index: "fill" });
    await report();
    expect(tallies).toBe(made.count);
    tallies = 0;
    await report();
    expect(tallies).toBe(0);
    await client.sessions.listAll({ index: "fill", counts: true });
    tallies = 0;
    await report();
    await client.sessions.listAll({ index: "fill", counts: true });
    expect(tallies).toBe(0);
    made.grow(made.claude[0]!);
    await report();
    expect(tallies).toBe(1);
    made.add();
    await report();
    expect(tallies).toBe(2);
  });
});

describe("a query with SQL", () => {
  it("gives the same answers as lists and reports", async () => {
    const home = tempHome();
    const made = new MadeHome(home.path, 5);
    for (let i = 0; i < 12; i++) made.add();
    const { sessions } = await clientOn(home.path);
    const rows = await sessions.listAll({ index: "fill", counts: true });
    const { totalUsd, requestCount } = await sessions.totalCost({ index: "fill" });
    const database = new DatabaseSync(join(home.path, ".agent-mux/index.db"));
    const told = database.prepare("SELECT title, turns FROM session ORDER BY agent, id").all();
    expect(told).toEqual(
      rows
        .toSorted((a, b) => (a.unifiedId < b.unifiedId ? -1 : 1))
        .map(({ title, turnCount }) => ({ title, turns: turnCount })),
    );
    const sums = "SELECT sum(requests) AS requests, round(sum(usd), 6) AS usd FROM";
    const expected = { requests: requestCount, usd: Number(totalUsd.toFixed(6)) };
    expect(database.prepare(`${sums} spending`).get()).toEqual(expected);
    const ofSessions = database.prepare("SELECT round(sum(usd), 6) AS usd FROM session").get();
    expect(ofSessions).toEqual({ usd: expected.usd });
    database.close();
  });
});

describe("a cache that is", () => {
  const database = (home: TempHome): string => join(home.path, ".agent-mux/index.db");

  async function filled(): Promise<{ home: TempHome; made: MadeHome }> {
    const home = tempHome();
    const made = new MadeHome(home.path, 9);
    for (let i = 0; i < 6; i++) made.add();
    await fewAnswers(await clientOn(home.path), "fill");
    expect(statSync(database(home)).mode & 0o777).toBe(0o600);
    return { home, made };
  }

  async function expectSame({ home, made }: { home: TempHome; made: MadeHome }): Promise<void> {
    made.change();
    const fresh = await fewAnswers(await clientOn(home.path), "none");
    for (const index of ["use", "fill", "use"] as const)
      expect(await fewAnswers(await clientOn(home.path), index)).toEqual(fresh);
  }

  it("deleted is rebuilt", async () => {
    const state = await filled();
    rmSync(dirname(database(state.home)), { recursive: true });
    await expectSame(state);
    expect(statSync(database(state.home)).size).toBeGreaterThan(0);
  });

  it.each([
    ["garbage", (bytes: Buffer) => bytes.fill(7)],
    ["cut in half", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["damaged in the middle", (bytes: Buffer) => bytes.fill(0, 5000, 9000)],
    ["empty", () => Buffer.alloc(0)],
    ["somebody's text", () => Buffer.from("hello\n".repeat(500))],
  ])("%s is set aside", async (_, damage) => {
    const state = await filled();
    const path = database(state.home);
    writeFileSync(path, damage(readFileSync(path)));
    await expectSame(state);
  });

  it("read-only is not used", async () => {
    const state = await filled();
    const path = database(state.home);
    rmSync(dirname(path), { recursive: true });
    writeFileSync(dirname(path), "a file where the directory should be");
    await expectSame(state);
  });

  it("written by several at once is consistent", async () => {
    const state = await filled();
    for (let i = 0; i < 3; i++) state.made.change();
    const fresh = await fewAnswers(await clientOn(state.home.path), "none");
    const clients = await Promise.all([1, 2, 3, 4].map(() => clientOn(state.home.path)));
    const all = await Promise.all(clients.map((client) => fewAnswers(client, "fill")));
    for (const one of all) expect(one).toEqual(fresh);
    await expectSame(state);
  });

  it("made with other prices is not used for them", async () => {
    const state = await filled();
    state.home.write(".agent-mux/prices.json", JSON.stringify({ "claude-opus-5": { input: 1, output: 1 } }));
    await expectSame(state);
  });
});

describe("counts that another process has replaced", () => {
  it("are not mixed with older reads: the query is answered without the cache", async () => {
    const home = tempHome();
    const made = new MadeHome(home.path, 5);
    for (let i = 0; i < 4; i++) made.add();
    const env = { home: home.path, platform: "linux", vars: {} } as const;
    await createClient({ env }).sessions.totalCost({ index: "fill" });
    const cache = new SessionCache(env, "use");
    const [[id, { account }]] = [...cache.accounts("claude")] as [[string, StoredAccount]];
    expect(account!.totals.length).toBeGreaterThan(0);
    cache.close();
    const other = new SessionCache(env, "fill");
    expect(other.accounts("claude").has(id)).toBe(true);
    other.removeAccount("claude", id);
    other.close();
    expect(cache.isCurrent).toBe(false);
    expect(() => account!.spending).toThrow(CacheLost);
    const stores = new Stores(new AgentRegistry(), env, undefined);
    const answered = stores.remembering({ index: "use" }, async ({ kept }) => {
      if (kept) throw new CacheLost("gone");
      return "without it";
    });
    expect(await answered).toBe("without it");
  });
});

describe("many forks of one session", () => {
  const record = (uuid: string, parentUuid: string | null, sessionId: string): string =>
    `${JSON.stringify({ type: "user", uuid, parentUuid, sessionId, cwd: "/x", timestamp: "2026-05-01T10:00:00.000Z", message: { role: "user", content: "go on" } })}\n`;

  it("take little more space than their files, and are found again when one of them changes", async () => {
    const home = tempHome();
    const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    const rests = Date.now() / 1000 - 3600;
    const write = (number: number, text: string): void => {
      const path = home.write(`.claude/projects/-x/${id(number)}.jsonl`, text);
      utimesSync(path, rests + number, rests + number);
    };
    const COUNT = 400;
    const first = (number: number): string => record(id(9000), null, id(number));
    for (let number = 0; number < COUNT; number++) {
      write(number, first(number) + (number === 0 ? "" : record(id(1000 + number), id(9000), id(number))));
    }
    const parents = async (index: "fill" | "use" | "none"): Promise<(string | undefined)[]> => {
      const { sessions } = await clientOn(home.path);
      const found = await sessions.list("claude", { index, counts: false, limit: COUNT });
      return found.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)).map(({ forkedFrom }) => forkedFrom);
    };
    const expected = Array.from({ length: COUNT }, (_, number) => (number === 0 ? undefined : id(0)));
    for (const index of ["none", "fill", "use"] as const) expect(await parents(index), index).toEqual(expected);
    expect(statSync(join(home.path, ".agent-mux", "index.db")).size).toBeLessThan(COUNT * 2000);
    write(7, record(id(8000), null, id(7)));
    expect((await parents("use"))[7]).toBeUndefined();
  });
});

describe("a file that is being written", () => {
  it("is read again each time until it settles", async () => {
    const home = tempHome();
    const made = new MadeHome(home.path, 11);
    const path = made.add();
    const now = Date.now() / 1000;
    utimesSync(path, now, now);
    let tallies = 0;
    const client = await clientOn(home.path, () => tallies++);
    await client.sessions.totalCost({ index: "fill" });
    utimesSync(path, Date.now() / 1000, Date.now() / 1000);
    await client.sessions.totalCost({ index: "fill" });
    expect(tallies).toBe(made.count + 1);
  });
});

describe("a session whose copies share its requests", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("leaves them to the copies when it is deleted after a report made while it was written", async () => {
    const home = tempHome();
    const turn = (number: number, more: object = {}): string =>
      ["user", "assistant"]
        .map((type) => ({
          type,
          uuid: `${type}-${number}`,
          parentUuid: type === "user" ? null : `user-${number}`,
          timestamp: `2026-05-0${number}T10:00:00.000Z`,
          message: {
            ...(type === "user" ? {} : { id: `msg_${number}`, model: "claude-opus-5", stop_reason: "end_turn" }),
            ...(type === "user" ? {} : { usage: { input_tokens: 100_000, output_tokens: 1000 } }),
            role: type,
            content: "hello",
          },
          ...more,
        }))
        .map((record) => `${JSON.stringify(record)}\n`)
        .join("");
    const id = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;
    const now = Date.now();
    const write = (number: number, text: string, ageMs: number): string => {
      const path = home.write(`.claude/projects/-x/${id(number)}.jsonl`, text);
      utimesSync(path, (now - ageMs) / 1000, (now - ageMs) / 1000);
      return path;
    };
    const total = async (index: "fill" | "use" | "none"): Promise<number> =>
      (await (await clientOn(home.path)).sessions.totalCost({ index })).totalUsd;
    const owner = write(1, turn(1), 60_000);
    write(2, turn(1, { forkedFrom: { sessionId: id(1), messageUuid: "user-1" } }) + turn(2), 60_000);
    expect(await total("fill")).toBe(await total("none"));
    write(1, turn(1) + turn(3), 0);
    vi.useFakeTimers({ toFake: ["Date"], now: now + 1 });
    const whole = await total("fill");
    expect(whole).toBe(await total("none"));
    vi.useRealTimers();
    rmSync(owner);
    expect(await total("fill")).toBeCloseTo((whole * 2) / 3, 9);
    expect(await total("use")).toBe(await total("none"));
  });
});

describe("a billed session that can no longer be read", () => {
  it("is listed with its title", async () => {
    const home = tempHome();
    const made = new MadeHome(home.path, 5);
    let isReadable = true;
    const client = await clientOn(home.path, () => {
      if (!isReadable) throw new Error("EIO");
    });
    const { sessions } = client;
    await sessions.totalCost({ index: "fill" });
    const limit = made.count;
    const titles = async (counts: boolean): Promise<string[]> =>
      (await sessions.list("claude", { index: "use", counts, limit })).map(({ title }) => title);
    const known = await titles(false);
    isReadable = false;
    expect(await titles(true)).toEqual(known);
  });
});
