/** Facts that stand in other files than the session's own must not outlive those files in the cache. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { createClient, type AgentMuxClient, type SessionQuery } from "../index.ts";
import { connectSqlite } from "../lib/sqlite/sqlite-binding.ts";

const AGENTS = join(import.meta.dirname, "../agents");
const WORKSPACES = ".config/Cursor/User/workspaceStorage";
const PI_SESSIONS = ".pi/agent/sessions/--home-user-dev-shop-cli--";

interface Case {
  /** The agent's recorded home. */
  fixture: string;
  word: string;
  /** Runs before the first listing. */
  prepare?: (home: string) => void;
  change: (home: string) => void;
}

const CASES: Record<string, Case> = {
  "the folder of a workspace of Cursor's": {
    fixture: "cursor/fixtures/home",
    word: "the",
    // Now only their own files name the directories.
    prepare: (home) => rmSync(join(home, ".cursor/chats"), { recursive: true }),
    change: (home) => {
      const [workspace] = readdirSync(join(home, WORKSPACES));
      write(home, `${WORKSPACES}/${workspace}/workspace.json`, '{"folder":"file:///home/user/dev/shop/api"}');
    },
  },
  "the directory that a folder of Gemini's stands for": {
    fixture: "gemini/fixtures/home",
    word: "the",
    change: (home) => write(home, ".gemini/tmp/shop-web/.project_root", "/home/user/elsewhere"),
  },
  "the directory by Gemini's list of them": {
    fixture: "gemini/fixtures/home",
    word: "the",
    prepare: (home) => rmSync(join(home, ".gemini/tmp/shop-web/.project_root")),
    change: (home) => write(home, ".gemini/projects.json", '{"projects":{"/home/user/elsewhere":"shop-web"}}'),
  },
  "the archive of Codex that a session is moved out of": {
    fixture: "codex/fixtures/home",
    word: "the",
    change: (home) => {
      const archive = join(home, ".codex/archived_sessions");
      for (const name of readdirSync(archive))
        renameSync(join(archive, name), join(home, ".codex/sessions/2026/11/15", name));
    },
  },
  "requests in Copilot's store": {
    fixture: "copilot/fixtures/home",
    word: "the",
    change: (home) => {
      const database = connectSqlite(join(home, ".copilot/session-store.db"), {});
      database.exec("DELETE FROM assistant_usage_events WHERE rowid % 3 = 0");
      database.exec("UPDATE assistant_usage_events SET output_tokens = output_tokens + 1000");
      database.close();
    },
  },
  "the id of the session that a fork of Pi's began in": {
    fixture: "pi/fixtures/home",
    word: "the",
    prepare: (home) => {
      const parent = readFileSync(join(home, PI_SESSIONS, PI_PARENT), "utf8");
      const [header, ...records] = parent.split("\n");
      const child = { ...(JSON.parse(header!) as object), id: "child", parentSession: `/elsewhere/${PI_PARENT}` };
      write(
        home,
        `${PI_SESSIONS}/2026-11-15T03-00-00-000Z_child.jsonl`,
        [JSON.stringify(child), ...records].join("\n"),
      );
    },
    change: (home) => rmSync(join(home, PI_SESSIONS, PI_PARENT)),
  },
  "the prompt of the thread that a fork of Codex's began in": {
    fixture: "codex/fixtures/home",
    word: "the",
    change: (home) => {
      const parent = readFileSync(join(home, CODEX_PARENT), "utf8");
      // Of the same length: the fork names a byte of it.
      write(home, CODEX_PARENT, parent.replaceAll("Add a GET /health", "Cut a GET /health"));
    },
  },
};

const CODEX_PARENT =
  ".codex/sessions/2026/11/15/rollout-2026-11-15T01-47-55-01a1dce3-be63-7800-b4f5-ed1ce14c8719.jsonl";

/** A file whose name has another id than its header. */
const PI_PARENT = "2026-11-15T00-35-31-543Z_04204d1d-77d7-4078-b7b2-52086587d707.jsonl";

function write(home: string, name: string, text: string): void {
  writeFileSync(join(home, name), text);
}

it.each(Object.entries(CASES))("%s", async (_, { fixture, word, prepare, change }) => {
  const home = tempHome(join(AGENTS, fixture)).path;
  prepare?.(home);
  await pause(100);
  const sessions = (): AgentMuxClient["sessions"] =>
    createClient({ env: { home, platform: "linux", vars: {} } }).sessions;
  const listed = async (index: "none" | "fill", counts: boolean): Promise<unknown> =>
    sessions().listAll({ index, counts, limit: 1000 });
  const found = async (index: "none" | "use"): Promise<unknown> => {
    const query: SessionQuery = { text: word, index, counts: false, sort: "date", limit: 1000 };
    return (await sessions().search(query)).map(({ score: _score, relevanceScore: __, ...hit }) => hit);
  };
  const heads = await listed("fill", false);
  const counted = await listed("fill", true);
  await sessions().buildIndex();
  const hits = await found("use");
  change(home);
  await pause(100);
  const before = JSON.stringify([heads, counted]);
  const now = [await listed("none", false), await listed("none", true)];
  expect(JSON.stringify(now)).not.toBe(before);
  expect([await listed("fill", false), await listed("fill", true)]).toEqual(now);
  expect(hits).not.toEqual([]);
  expect(await found("use")).toEqual(await found("none"));
});
