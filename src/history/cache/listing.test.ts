/** When sessions are listed again; answers are the same either way. */
import {
  cpSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { createClient, type AgentMuxClient } from "../../index.ts";
import { SETTLING_MS } from "../../lib/fs/directory.ts";
import { MadeHome } from "../testing/made-home.ts";

class Store {
  readonly home = tempHome();
  readonly made = new MadeHome(this.home.path, 13);
  listings = 0;
  readings = 0;

  constructor() {
    for (let i = 0; i < 8; i++) this.made.add();
  }

  async client(): Promise<AgentMuxClient> {
    const client = createClient({ env: { home: this.home.path, platform: "linux", vars: {} } });
    const adapter = await client.adapters.get("claude");
    const history = adapter.history!;
    client.adapters.register({
      ...adapter,
      history: {
        ...history,
        listSessions: (...args) => {
          this.listings++;
          return history.listSessions(...args);
        },
        read: (...args) => {
          this.readings++;
          return history.read(...args);
        },
      },
    });
    return client;
  }
}

/** Runs a report with the cache and checks it against one without. */
async function reported(store: Store): Promise<{ listings: number; readings: number }> {
  await sleep(2 * SETTLING_MS);
  const env = { home: store.home.path, platform: "linux", vars: {} } as const;
  const fresh = await createClient({ env }).sessions.totalCost({ index: "none" });
  [store.listings, store.readings] = [0, 0];
  expect(await (await store.client()).sessions.totalCost({ index: "fill" })).toEqual(fresh);
  return { listings: store.listings, readings: store.readings };
}

const SAME = { listings: 0, readings: 0 };

describe("sessions with a cached listing", () => {
  it("are not listed again while nothing changes, nor when files grow or are restored", async () => {
    const store = new Store();
    const { readings } = await reported(store);
    expect(readings).toBe(store.made.claude.length);
    expect(await reported(store)).toEqual(SAME);
    const [first, second] = store.made.claude as [string, string];
    store.made.grow(first);
    expect(await reported(store)).toEqual({ listings: 0, readings: 1 });
    expect(await reported(store)).toEqual(SAME);
    store.made.grow(first);
    store.made.grow(second);
    expect(await reported(store)).toEqual({ listings: 0, readings: 2 });
    expect(await reported(store)).toEqual(SAME);
  });

  it("are listed again when one is added, and not from then on", async () => {
    const store = new Store();
    await reported(store);
    // Later listings find files among those of an earlier one.
    for (let round = 0; round < 3; round++) {
      while (!store.made.add().includes(".claude"));
      expect(await reported(store)).toEqual({ listings: 1, readings: 1 });
      store.made.grow(store.made.claude[round]!);
      expect(await reported(store)).toEqual({ listings: 0, readings: 1 });
      expect(await reported(store)).toEqual(SAME);
    }
  });

  it.each<[string, (path: string) => void]>([
    ["is gone", (path) => rmSync(path)],
    ["has another name", (path) => renameSync(path, `${path}.old`)],
    ["has become a directory", (path) => (rmSync(path), mkdirSync(path))],
    [
      "gets a helper",
      (path) => {
        const file = join(path.replace(/\.jsonl$/, ""), "subagents", "agent-1.jsonl");
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, "");
      },
    ],
    ["is in a directory that is gone", (path) => rmSync(dirname(path), { recursive: true })],
  ])("are listed again when one %s", async (_, change) => {
    const store = new Store();
    await reported(store);
    expect(await reported(store)).toEqual(SAME);
    change(store.made.claude[0]!);
    expect((await reported(store)).listings).toBe(1);
  });

  it("are read again where another file of the same size and time replaced one", async () => {
    const store = new Store();
    await reported(store);
    const [path] = store.made.claude as [string];
    const { size, mtime } = statSync(path);
    renameSync(path, `${path}.old`);
    writeFileSync(path, "\n".repeat(size));
    utimesSync(path, mtime, mtime);
    expect((await reported(store)).readings).toBeGreaterThan(0);
  });

  it("may be behind links, where changes do not show in the link's directory", async () => {
    const store = new Store();
    const project = dirname(store.made.claude[0]!);
    const elsewhere = join(store.home.path, "elsewhere");
    renameSync(project, elsewhere);
    symlinkSync(elsewhere, project);
    await reported(store);
    expect(await reported(store)).toEqual(SAME);
    store.made.grow(store.made.claude[0]!);
    expect(await reported(store)).toEqual({ listings: 0, readings: 1 });
    writeFileSync(join(elsewhere, "00000000-0000-4000-8000-000000000000.jsonl"), "");
    expect((await reported(store)).listings).toBe(1);
  });

  it("are not listed again because of an unrelated file, which is reported each time", async () => {
    const store = new Store();
    const [first, second] = store.made.claude as [string, string];
    // Reported by the listing and by the reader.
    const odd = join(dirname(first), "00000000-0000-4000-8000-000000000000.jsonl");
    mkdirSync(odd);
    writeFileSync(second, "nothing that could be a record\n");
    utimesSync(second, 1, 1);
    expect(await reported(store)).toMatchObject({ listings: 1 });
    expect(await reported(store)).toEqual({ listings: 0, readings: 1 });
    const { sessions } = await store.client();
    expect(await sessions.totalCost({ index: "fill" })).toMatchObject({ skipped: 2 });
    store.made.grow(first);
    expect(await reported(store)).toEqual({ listings: 0, readings: 2 });
    rmdirSync(odd);
    expect(await reported(store)).toEqual({ listings: 1, readings: 1 });
    expect(await reported(store)).toEqual({ listings: 0, readings: 1 });
  });

  it("are listed again while one cannot be examined", async () => {
    const store = new Store();
    const closed = join(dirname(dirname(store.made.claude[0]!)), "closed");
    symlinkSync(closed, closed);
    expect(await reported(store)).toMatchObject({ listings: 1 });
    expect(await reported(store)).toMatchObject({ listings: 1 });
    rmSync(closed);
    await reported(store);
    expect(await reported(store)).toEqual(SAME);
  });

  it("that cannot be read are reported each time, once", async () => {
    const store = new Store();
    const [broken, original] = store.made.claude as [string, string];
    writeFileSync(broken, "nothing that could be a record\n");
    utimesSync(broken, 1, 1);
    await reported(store);
    await reported(store);
    // Read together with its original.
    const copy = join(dirname(original), "00000000-0000-4000-8000-000000000000.jsonl");
    cpSync(original, copy);
    utimesSync(copy, 2, 2);
    expect((await reported(store)).readings).toBeGreaterThan(2);
  });
});
