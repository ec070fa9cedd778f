/** A long-running program refreshes what it knows; its answers equal those of a new one. */
import { appendFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import type { AgentEnv } from "../agents/adapter.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { SETTLING_MS } from "../lib/fs/directory.ts";
import { IndexDatabase } from "./cache/database.ts";
import { SessionManager } from "./manager.ts";
import type { SessionListOptions } from "./options.ts";
import { CachedStores } from "./cached-stores.ts";
import { MadeHome } from "./testing/made-home.ts";
import { isLong } from "../../test/torture/long-form.ts";

const IDLE_MS = 60_000;
const FILL = { index: "fill" } as const;
const ALL = Number.MAX_SAFE_INTEGER;
const SEEDS = isLong ? [11, 12, 13, 14, 15] : [11];
const STEPS = isLong ? 40 : 8;

/** How often the session cache was read from its file. */
let loads = 0;

beforeEach(() => {
  loads = 0;
  const { table } = IndexDatabase.prototype;
  vi.spyOn(IndexDatabase.prototype, "table").mockImplementation(function (this: IndexDatabase, ...args) {
    loads++;
    return table.apply(this, args);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

class Asked {
  readonly home = tempHome().path;
  readonly made: MadeHome;
  readonly env: AgentEnv = { home: this.home, platform: "linux", vars: {} };
  listings = 0;
  heads: string[] = [];
  onListing = (): unknown => undefined;
  readonly manager: SessionManager;
  readonly #registry = new AgentRegistry();

  constructor(seed: number) {
    this.made = new MadeHome(this.home, seed);
    for (let i = 0; i < 10; i++) this.made.add();
    this.manager = new SessionManager(this.#registry, this.env, { standing: new CachedStores(this.env, IDLE_MS) });
  }

  /** With agents that count their calls. */
  static async of(seed: number): Promise<Asked> {
    const asked = new Asked(seed);
    for (const name of ["claude", "codex"]) {
      const adapter = await asked.#registry.get(name);
      const history = adapter.history!;
      asked.#registry.register({
        ...adapter,
        history: {
          ...history,
          listSessions: (...args) => {
            asked.listings++;
            asked.onListing();
            return history.listSessions(...args);
          },
          summarize: (source, ...rest) => {
            asked.heads.push(source.path);
            return history.summarize(source, ...rest);
          },
        },
      });
    }
    return asked;
  }

  /** A manager without memory or cache. */
  get fresh(): SessionManager {
    return new SessionManager(new AgentRegistry(), this.env);
  }

  async work(act: () => Promise<unknown>): Promise<{ listings: number; heads: string[] }> {
    [this.listings, this.heads] = [0, []];
    await act();
    return { listings: this.listings, heads: this.heads };
  }
}

/** Every kind of question, as JSON; the order of fields counts. */
async function answers(manager: SessionManager, how: { index: "fill" | "none" }): Promise<string[]> {
  const lists: SessionListOptions[] = [
    { limit: ALL, counts: false },
    { limit: 3 },
    { limit: ALL, counts: true },
    { limit: 4, sort: "cost" },
    { counts: false, since: new Date("2026-01-01T00:10:00Z"), sortDirection: "asc" },
  ];
  const given: unknown[] = [];
  for (const options of lists) given.push(await manager.listAll({ ...options, ...how }));
  given.push(await manager.list("claude", { limit: ALL, counts: false, ...how }));
  given.push((await manager.heads(how)).sort((a, b) => (a.unifiedId < b.unifiedId ? -1 : 1)));
  given.push(await manager.totalCost({ groupBy: ["day", "session"], ...how }));
  given.push(await manager.totalCost({ ...how }));
  return given.map((answer) => JSON.stringify(answer));
}

async function settled(): Promise<void> {
  await sleep(2 * SETTLING_MS);
}

describe("a repeated query", () => {
  it("lists, reads and loads nothing while nothing has changed", async () => {
    const asked = await Asked.of(1);
    await settled();
    const first = await answers(asked.manager, FILL);
    await answers(asked.manager, FILL);
    loads = 0;
    const again: string[][] = [];
    expect(await asked.work(async () => again.push(await answers(asked.manager, FILL)))).toEqual({
      listings: 0,
      heads: [],
    });
    expect(loads).toBe(0);
    expect(again).toEqual([first]);
    expect(first).toEqual(await answers(asked.fresh, { index: "none" }));
  });

  it("searches the sessions of the last list, and lists nothing again", async () => {
    const asked = await Asked.of(9);
    await settled();
    await asked.manager.listAll({ ...FILL, counts: false });
    const search = (): Promise<unknown> => asked.manager.search({ text: "prompt", counts: false, ...FILL });
    expect(await asked.work(search)).toMatchObject({ listings: 0 });
    await asked.manager.idle();
    expect(await asked.work(search)).toEqual({ listings: 0, heads: [] });
  });

  it("reads one session's head when it has grown, and lists all when one is new or gone", async () => {
    const asked = await Asked.of(2);
    const list = async (): Promise<unknown> => asked.manager.listAll({ ...FILL, counts: false });
    await settled();
    await list();
    const [path, other] = asked.made.claude as [string, string];
    asked.made.grow(path);
    expect(await asked.work(list)).toEqual({ listings: 0, heads: [path] });
    expect(await asked.work(list)).toEqual({ listings: 0, heads: [] });
    rmSync(other);
    await settled();
    expect(await asked.work(list)).toEqual({ listings: 1, heads: [] });
    expect(await asked.work(list)).toEqual({ listings: 0, heads: [] });
  });

  it("includes what was written a moment ago", async () => {
    const asked = await Asked.of(3);
    const [path] = asked.made.claude as [string];
    const titleOf = async (manager: SessionManager): Promise<unknown> => {
      const index = manager === asked.manager ? "fill" : "none";
      const rows = await manager.listAll({ index, limit: ALL, counts: false });
      return rows.map(({ sessionId, title }) => [sessionId, title]);
    };
    await titleOf(asked.manager);
    const sessionId = /([\w-]+)\.jsonl$/.exec(path)![1]!;
    for (let i = 0; i < 12; i++) {
      // Mostly of one length, and within one tick of the file system's clock.
      const title = { type: "custom-title", customTitle: `Title ${i % 10}`, sessionId };
      appendFileSync(path, `${JSON.stringify(title)}\n`);
      expect(await titleOf(asked.manager)).toEqual(await titleOf(asked.fresh));
      if (i % 3 === 0) asked.made.add();
      expect(await titleOf(asked.manager)).toEqual(await titleOf(asked.fresh));
    }
  });

  it.each(SEEDS)("gets the same answers as a first query, whatever happened (%i)", async (seed) => {
    const asked = await Asked.of(seed);
    for (let step = 0; step < STEPS; step++) {
      for (let changes = step % 3; changes > 0; changes--) asked.made.change();
      if (step % 4 === 3) await settled();
      expect(await answers(asked.manager, FILL), `step ${step}`).toEqual(await answers(asked.fresh, { index: "none" }));
    }
  });

  it("includes a changed session even if its file was put back", async () => {
    const asked = await Asked.of(4);
    const [path] = asked.made.codex as [string];
    const ask = (): Promise<string[]> => answers(asked.manager, FILL);
    await settled();
    await ask();
    const { atimeMs, mtimeMs } = statSync(path);
    utimesSync(path, atimeMs / 1000, mtimeMs / 1000 - 3600);
    expect(await ask()).toEqual(await answers(asked.fresh, { index: "none" }));
  });

  it("does not include what another program has removed", async () => {
    const asked = await Asked.of(5);
    await settled();
    const first = await answers(asked.manager, FILL);
    const file = join(asked.home, ".agent-mux", "index.db");
    writeFileSync(file, "something else");
    expect(await answers(asked.manager, FILL)).toEqual(first);
    asked.made.grow(asked.made.codex[0]!);
    await answers(asked.fresh, FILL);
    expect(await answers(asked.manager, FILL)).toEqual(await answers(asked.fresh, { index: "none" }));
    rmSync(file);
    expect(await answers(asked.manager, FILL)).toEqual(await answers(asked.fresh, { index: "none" }));
  });
});

describe("several queries at once", () => {
  it("share one listing", async () => {
    const asked = await Asked.of(6);
    await settled();
    const lists: unknown[] = [];
    const ask = (): Promise<unknown> =>
      Promise.all(
        Array.from({ length: 5 }, async () => lists.push(JSON.stringify(await asked.manager.listAll({ ...FILL })))),
      );
    expect((await asked.work(ask)).listings).toBe(2);
    expect(new Set(lists).size).toBe(1);
  });

  it("share a listing that took a minute, and so does the next query", async () => {
    const asked = await Asked.of(10);
    let seconds = 0;
    vi.spyOn(process, "uptime").mockImplementation(() => seconds);
    asked.onListing = () => (seconds += 60);
    const list = async (): Promise<number> =>
      (await asked.manager.list("claude", { ...FILL, limit: ALL, counts: false })).length;
    const before = asked.made.claude.length;
    const first = [list(), list()];
    expect(await Promise.all(first)).toEqual([before, before]);
    while (asked.made.claude.length === before) asked.made.add();
    expect(await list(), "not listed again").toBe(before);
    expect(asked.listings).toBe(1);
    seconds += 60;
    expect(await list(), "listed again").toBeGreaterThan(before);
    expect(asked.listings).toBe(2);
  });

  it("are answered even if one of them is cancelled", async () => {
    const asked = await Asked.of(7);
    const givenUp = new Error("given up");
    const onProgress = (): never => {
      throw givenUp;
    };
    const [left, stayed, cost] = await Promise.allSettled([
      asked.manager.listAll({ ...FILL, onProgress }),
      asked.manager.listAll({ ...FILL }),
      asked.manager.totalCost({ ...FILL }),
    ]);
    expect(left).toEqual({ status: "rejected", reason: givenUp });
    expect(stayed).toEqual({ status: "fulfilled", value: await asked.fresh.listAll({ index: "none" }) });
    expect(cost).toEqual({ status: "fulfilled", value: await asked.fresh.totalCost({ index: "none" }) });
    expect(await answers(asked.manager, FILL)).toEqual(await answers(asked.fresh, { index: "none" }));
  });
});

describe("the known sessions", () => {
  it("are dropped when nobody asks", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const asked = await Asked.of(8);
    const list = async (): Promise<unknown> => asked.manager.listAll({ ...FILL, counts: false });
    await settled();
    await list();
    await list();
    loads = 0;
    await list();
    expect(loads).toBe(0);
    vi.advanceTimersByTime(IDLE_MS);
    await list();
    expect(loads).toBeGreaterThan(0);
  });
});
