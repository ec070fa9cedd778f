/** How much is read for an answer: with the cache, only what changed. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { createClient, type AgentMuxClient } from "../index.ts";
import { MadeHome } from "./testing/made-home.ts";

const { openSync, readSync } = fs;
let opened: string[] = [];
let bytesRead = 0;
const transcriptOf = new Map<number, string>();

function isTranscript(path: string): boolean {
  return path.endsWith(".jsonl") && !path.endsWith("run-index.jsonl");
}

beforeEach(() => {
  fs.openSync = (path, ...rest) => {
    const fd = openSync(path, ...rest);
    transcriptOf.delete(fd);
    if (!isTranscript(String(path))) return fd;
    opened.push(String(path));
    transcriptOf.set(fd, String(path));
    return fd;
  };
  fs.readSync = ((...args: Parameters<typeof readSync>) => {
    const got = readSync(...args);
    if (transcriptOf.has(args[0])) bytesRead += got;
    return got;
  }) as typeof readSync;
  syncBuiltinESMExports();
});

afterEach(() => {
  fs.openSync = openSync;
  fs.readSync = readSync;
  syncBuiltinESMExports();
});

function clientOn(home: string): AgentMuxClient {
  return createClient({ env: { home, platform: "linux", vars: {} } });
}

/** Transcripts opened and bytes read for an answer. */
async function work(act: () => Promise<unknown>): Promise<{ transcripts: string[]; bytes: number }> {
  [opened, bytesRead] = [[], 0];
  await act();
  return { transcripts: opened, bytes: bytesRead };
}

const SESSIONS = 24;

function made(): { home: string; made: MadeHome } {
  const home = tempHome();
  const sessions = new MadeHome(home.path, 21);
  while (sessions.count < SESSIONS) sessions.add();
  return { home: home.path, made: sessions };
}

describe("with a cache", () => {
  it("a report opens every transcript at first, and then none", async () => {
    const { home, made: sessions } = made();
    const report = (): Promise<unknown> => clientOn(home).sessions.totalCost({ index: "fill" });
    const first = await work(report);
    expect(new Set(first.transcripts).size).toBe(sessions.count);
    expect(await work(report)).toEqual({ transcripts: [], bytes: 0 });
  });

  it("a report on one session that grew opens that one", async () => {
    const { home, made: sessions } = made();
    const report = (): Promise<unknown> => clientOn(home).sessions.totalCost({ index: "fill" });
    await report();
    const path = sessions.claude[0]!;
    sessions.grow(path);
    const { transcripts, bytes } = await work(report);
    expect(transcripts).toEqual([path]);
    expect(bytes).toBe(fs.statSync(path).size);
    expect(await work(report)).toEqual({ transcripts: [], bytes: 0 });
  });

  it("a list opens nothing the second time, with counts or without", async () => {
    const { home } = made();
    const limit = Number.POSITIVE_INFINITY;
    for (const counts of [false, true]) {
      const list = (): Promise<unknown> => clientOn(home).sessions.listAll({ index: "fill", counts, limit });
      expect((await work(list)).transcripts.length).toBeGreaterThan(0);
      expect(await work(list)).toEqual({ transcripts: [], bytes: 0 });
    }
  });
});

describe("without a cache", () => {
  it("a list of titles opens each session's own file once", async () => {
    const { home, made: sessions } = made();
    const list = (): Promise<unknown> =>
      clientOn(home).sessions.listAll({ index: "none", counts: false, limit: Number.POSITIVE_INFINITY });
    const { transcripts } = await work(list);
    expect(new Set(transcripts).size).toBe(sessions.count);
  });
});
