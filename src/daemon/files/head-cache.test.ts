/** The history process and commands share the cached heads of sessions. Without the cache all is the same, only slower. */
import { DatabaseSync } from "@photostructure/sqlite";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv } from "../../agents/adapter.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { SessionCache } from "../../history/cache/session-cache.ts";
import { MadeHome } from "../../history/testing/made-home.ts";
import { createClient } from "../../index.ts";
import { FilesEngine } from "./files-engine.ts";
import type { FilesUpdate } from "./found-conversation.ts";

const SESSIONS = 60;

interface State {
  env: AgentEnv;
  made: MadeHome;
  database: string;
}

function made(): State {
  const { path } = tempHome();
  const sessions = new MadeHome(path, 3);
  while (sessions.count < SESSIONS) sessions.add();
  return {
    env: { home: path, platform: "linux", vars: {} },
    made: sessions,
    database: join(path, ".agent-mux/index.db"),
  };
}

async function started({ env }: State): Promise<{ engine: FilesEngine; news: FilesUpdate[]; heads: number }> {
  const news: FilesUpdate[] = [];
  const onProblem = (what: string, error: unknown): never => {
    throw new Error(what, { cause: error });
  };
  const engine = new FilesEngine(new AgentRegistry(), env, (update) => news.push(update), onProblem);
  onTestFinished(() => engine.close());
  await engine.start();
  return { engine, news, heads: engine.work().heads };
}

/** How many heads a list of all sessions reads. */
async function readByList({ env }: State): Promise<number> {
  const client = createClient({ env });
  let heads = 0;
  for (const name of ["claude", "codex"]) {
    const adapter = await client.adapters.get(name);
    const history = adapter.history!;
    const summarize: typeof history.summarize = (...args) => {
      heads++;
      return history.summarize(...args);
    };
    client.adapters.register({ ...adapter, history: { ...history, summarize } });
  }
  const limit = Number.POSITIVE_INFINITY;
  expect(await client.sessions.listAll({ index: "fill", counts: false, limit })).toHaveLength(SESSIONS);
  return heads;
}

describe("cached heads", () => {
  it("that the daemon has read are not read by a list", async () => {
    const state = made();
    expect((await started(state)).heads).toBe(SESSIONS);
    expect(await readByList(state)).toBe(0);
  });

  it("that a list has read are not read by the daemon", async () => {
    const state = made();
    expect(await readByList(state)).toBe(SESSIONS);
    expect((await started(state)).heads).toBe(0);
  });

  it("do not keep a command from writing what it made meanwhile", async () => {
    const state = made();
    const report = new SessionCache(state.env, "fill");
    report.heads("claude");
    await started(state);
    report.putFork("claude", "one", "stamp", "other");
    report.close();
    expect(new SessionCache(state.env, "use").forks("claude").get("one")).toEqual({ stamp: "stamp", parent: "other" });
  });

  it("are written when some have gathered, and never at rest", async () => {
    const state = made();
    const { engine } = await started(state);
    const written = (): bigint => statSync(state.database, { bigint: true }).mtimeNs;
    const read = async (): Promise<number> => {
      await engine.scan();
      return engine.work().heads;
    };
    const before = written();
    const { claude, codex } = state.made;
    for (const path of claude.slice(0, 5)) state.made.grow(path);
    await expect.poll(read).toBe(SESSIONS + 5);
    expect(written()).toBe(before);
    for (const path of [...claude, ...codex]) state.made.grow(path);
    await expect.poll(read).toBe(2 * SESSIONS + 5);
    expect(written()).not.toBe(before);
    expect((await started(state)).heads).toBeLessThan(SESSIONS / 2);
  });

  it("of moved files are still known, at their new places", async () => {
    const state = made();
    const { engine, news } = await started(state);
    const [path] = state.made.claude;
    const moved = `${dirname(path!)}-moved`;
    const isMoved = ({ changed }: FilesUpdate): boolean => changed.some((found) => dirname(found.path) === moved);
    renameSync(dirname(path!), moved);
    const isTold = async (): Promise<boolean> => {
      await engine.scan();
      return news.some(isMoved);
    };
    await expect.poll(isTold).toBe(true);
    const again = await started(state);
    expect(again.heads).toBe(0);
    expect(again.news.some(isMoved)).toBe(true);
  });
});

describe("a cache of heads that is", () => {
  const change = (sql: string) => (path: string) => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };

  it.each([
    ["garbage", (path: string) => writeFileSync(path, readFileSync(path).fill(7))],
    [
      "of a newer version",
      change("UPDATE module SET version = 'newer'; ALTER TABLE session_head RENAME TO session_top"),
    ],
    ["somebody's", change("PRAGMA application_id = 1")],
  ])("%s is rebuilt", async (_, damage) => {
    const state = made();
    const first = await started(state);
    first.engine.close();
    damage(state.database);
    const second = await started(state);
    expect([second.heads, second.news]).toEqual([SESSIONS, first.news]);
    expect((await started(state)).heads).toBe(0);
  });

  it("impossible is done without", async () => {
    const state = made();
    const first = await started(state);
    mkdirSync(join(state.env.home, "elsewhere"));
    renameSync(dirname(state.database), join(state.env.home, "elsewhere/gone"));
    writeFileSync(dirname(state.database), "a file where the directory should be");
    const second = await started(state);
    expect([second.heads, second.news]).toEqual([SESSIONS, first.news]);
  });

  it("being written is not waited for", async () => {
    const state = made();
    const first = await started(state);
    const writer = new DatabaseSync(state.database);
    writer.exec("DELETE FROM session_head; BEGIN IMMEDIATE");
    for (let start = 0; start < 2; start++) {
      const again = await started(state);
      expect([again.heads, again.news]).toEqual([SESSIONS, first.news]);
    }
    writer.close();
    await started(state);
    expect((await started(state)).heads).toBe(0);
  });
});
