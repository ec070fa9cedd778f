import { DatabaseSync } from "@photostructure/sqlite";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { treeHash } from "../support/agents/conformance.ts";
import { createClient, type AgentMuxClient } from "../../src/index.ts";
import { filesBelow } from "../../src/lib/fs/directory.ts";
import { tempHome } from "../support/temp-home.ts";
import { Random } from "./random.ts";
import { ClaudeSession } from "./random-corpus.ts";
import { DEADLINE_MS } from "../support/deadline.ts";

interface Indexed {
  home: string;
  index: string;
  client: AgentMuxClient;
}

const OLD = new Date("2026-03-01T00:00:00Z");
const SESSIONS = 5;
const QUERIES = ["検索", '"user name"', "cafe -retry"];

/** A home with some sessions, all of them in the index. */
async function indexedHome(seed: number): Promise<Indexed> {
  const home = tempHome().path;
  const random = new Random(seed);
  for (let count = 0; count < SESSIONS; count++) {
    const session = new ClaudeSession(random, home).turns(2);
    session.write();
    utimesSync(session.file, OLD, OLD);
  }
  const client = clientOf(home);
  await client.sessions.buildIndex();
  return { home, index: join(home, ".agent-mux/index.db"), client };
}

function clientOf(home: string): AgentMuxClient {
  return createClient({ env: { home, platform: "linux", vars: {} } });
}

async function answers(client: AgentMuxClient, index: "use" | "none"): Promise<string[][]> {
  const found: string[][] = [];
  for (const text of QUERIES) {
    const hits = await client.sessions.search({ text, index, limit: 1000, foldCopies: false });
    found.push(hits.map((hit) => hit.unifiedId));
  }
  return found;
}

async function lacking(client: AgentMuxClient): Promise<number> {
  const { agents } = await client.sessions.indexStatus();
  return agents.reduce((sum, { outdated, missing }) => sum + outdated + missing, 0);
}

describe("an index that was", () => {
  const damages: [string, (index: string) => void][] = [
    ["removed", (index) => rmSync(index)],
    ["emptied", (index) => writeFileSync(index, "")],
    ["overwritten with something else", (index) => writeFileSync(index, "not a database ".repeat(1000))],
    ["cut in half", (index) => truncateSync(index, Math.floor(statSync(index).size / 2))],
    ["changed in one byte of its contents", (index) => flip(index, 0.6)],
    ["changed all over", (index) => [0.1, 0.3, 0.5, 0.7, 0.9].forEach((place) => flip(index, place))],
    ["replaced by another program's database", (index) => replaceByDatabase(index)],
    [
      "replaced by a directory",
      (index) => {
        rmSync(index);
        mkdirSync(join(index, "x"), { recursive: true });
      },
    ],
    ["given a log that is none", (index) => writeFileSync(`${index}-wal`, "rubbish".repeat(5000))],
  ];

  it.each(damages)("%s gives the same answers, and is rebuilt", async (_, damage) => {
    const { home, index, client } = await indexedHome(1);
    const expected = await answers(client, "none");
    expect(await answers(client, "use")).toEqual(expected);
    expect(expected.some((ids) => ids.length > 0)).toBe(true);
    damage(index);
    // In a new process, and in one that had it open.
    for (const user of [clientOf(home), client]) {
      expect(await answers(user, "use")).toEqual(expected);
      await user.sessions.buildIndex();
      expect(await lacking(user)).toBe(0);
      expect(await answers(user, "use")).toEqual(expected);
    }
  });

  it("made by another version is rebuilt", async () => {
    const { home, index, client } = await indexedHome(2);
    const expected = await answers(client, "none");
    const database = new DatabaseSync(index);
    database.exec("UPDATE module SET version = 'older'; DROP TABLE search_session");
    database.close();
    rmSync(`${index}.seal`);
    const later = clientOf(home);
    expect(await answers(later, "use")).toEqual(expected);
    await later.sessions.buildIndex();
    expect(await lacking(later)).toBe(0);
    expect(await answers(later, "use")).toEqual(expected);
  });
});

describe("an index that was copied", () => {
  async function copyOf({ home }: Indexed): Promise<Indexed> {
    const copy = join(tempHome().path, "home");
    execFileSync("cp", ["-a", home, copy]);
    return { home: copy, index: join(copy, ".agent-mux/index.db"), client: clientOf(copy) };
  }

  it("with all its files is reused, and changed files are read", async () => {
    const original = await indexedHome(11);
    const expected = await answers(original.client, "none");
    const { home, client } = await copyOf(original);
    expect((await client.sessions.indexStatus()).copied).toBe(true);
    expect(await answers(client, "use")).toEqual(expected);
    const changed = new ClaudeSession(new Random(5), home).turns(2);
    changed.write();
    utimesSync(changed.file, OLD, OLD);
    expect(await client.sessions.buildIndex()).toMatchObject({ added: 1, removed: 0, unchanged: SESSIONS });
    expect((await client.sessions.indexStatus()).copied).toBe(false);
    for (const user of [client, clientOf(home)]) {
      expect(await lacking(user)).toBe(0);
      expect(await answers(user, "use")).toEqual(await answers(user, "none"));
    }
    expect(await original.client.sessions.buildIndex()).toMatchObject({ added: 0, unchanged: SESSIONS });
  });

  it("beside files of other times or sizes is not used for them", async () => {
    const original = await indexedHome(12);
    const { home, client } = await copyOf(original);
    const [first, second] = filesBelow(join(home, ".claude"), (name) => name.endsWith(".jsonl"));
    utimesSync(first!.path, OLD, new Date(OLD.getTime() + 1));
    writeFileSync(second!.path, readFileSync(second!.path, "utf8").replace(/\n$/, " \n"));
    utimesSync(second!.path, OLD, OLD);
    expect(await client.sessions.buildIndex()).toMatchObject({ added: 2, unchanged: SESSIONS - 2 });
  });

  it("while it may have been written is rebuilt", async () => {
    const original = await indexedHome(13);
    rmSync(`${original.index}.seal`);
    // In its own place it counts as an index whose writer was killed.
    expect(await clientOf(original.home).sessions.buildIndex()).toMatchObject({ added: 0 });
    rmSync(`${original.index}.seal`);
    const { index, client } = await copyOf(original);
    expect(await client.sessions.buildIndex()).toMatchObject({ added: SESSIONS });
    expect(statSync(`${index}.unusable`).isFile()).toBe(true);
    expect(await answers(client, "use")).toEqual(await answers(client, "none"));
  });
});

describe("the index", () => {
  it("is private to its owner", async () => {
    const { index } = await indexedHome(3);
    expect(statSync(index).mode & 0o777).toBe(0o600);
    expect(statSync(join(index, "..")).mode & 0o777).toBe(0o700);
  });

  it("leaves the agents' files unchanged", async () => {
    const { home, client } = await indexedHome(4);
    const before = treeHash(join(home, ".claude"));
    await client.sessions.clearIndex();
    await client.sessions.buildIndex();
    await answers(client, "use");
    expect(treeHash(join(home, ".claude"))).toBe(before);
  });

  it("is gone after it was cleared, and nothing misses it", async () => {
    const { home, index, client } = await indexedHome(5);
    const expected = await answers(client, "use");
    expect(await client.sessions.clearIndex()).toBe(true);
    expect(statSync(index, { throwIfNoEntry: false })).toBeUndefined();
    expect(await answers(client, "use")).toEqual(expected);
    expect(await answers(clientOf(home), "use")).toEqual(expected);
  });

  it("is not created by a search that may only use it", async () => {
    const { index, client } = await indexedHome(6);
    await client.sessions.clearIndex();
    await answers(client, "use");
    expect(statSync(index, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("is filled after a search that is to fill it", async () => {
    const { client } = await indexedHome(7);
    await client.sessions.clearIndex();
    // Each search gives it limited time; the rest is left to the next one.
    await vi.waitUntil(
      async () => {
        await client.sessions.search({ text: "retry", index: "fill" });
        await client.sessions.idle();
        return (await lacking(client)) === 0;
      },
      { timeout: DEADLINE_MS },
    );
  });

  it("does not trust a file that was written just now", async () => {
    const { home, client } = await indexedHome(8);
    const session = new ClaudeSession(new Random(99), home).turns(1);
    session.write();
    // The clock stops right after the file was written, so that slow machines do not matter.
    vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(statSync(session.file).mtimeMs) + 10 });
    try {
      await client.sessions.buildIndex();
    } finally {
      vi.useRealTimers();
    }
    expect(await lacking(client)).toBe(1);
  });
});

function flip(path: string, place: number): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length * place);
  bytes[at] = bytes[at]! ^ 0x55;
  writeFileSync(path, bytes);
}

function replaceByDatabase(path: string): void {
  rmSync(path);
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE search_session (id INTEGER PRIMARY KEY, anything TEXT)");
  database.close();
}
