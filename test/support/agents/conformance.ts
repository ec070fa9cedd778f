/** The suite that every adapter passes on every recorded home. */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentAdapter, AgentEnv, SessionReader, SessionSource } from "../../../src/agents/adapter.ts";
import type { SessionMessage } from "../../../src/core/session.ts";
import { isNothingAt } from "../../../src/lib/fs/directory.ts";
import { AGENT_LOCATIONS } from "../../../src/agents/agent-locations.gen.ts";
import { countMessages, tallyOf } from "../../../src/agents/in-memory.ts";
import { ReadNotes } from "../../../src/agents/read-notes.ts";

export interface ConformanceHome {
  home: string;
  /** Sessions in the home, those of sub-agents included. */
  sessions: number;
  vars?: Record<string, string>;
}

interface Read {
  reader: SessionReader;
  messages: SessionMessage[];
}

export function conformance(adapter: AgentAdapter, { home, sessions, vars = {} }: ConformanceHome): void {
  const env: AgentEnv = { home, platform: "linux", vars };
  const history = adapter.history!;
  const notes = new ReadNotes();
  const read = new Map<SessionSource, Read>();
  /** Whole sessions, read once for all claims. */
  const sessionOf = (source: SessionSource): Read => {
    const known = read.get(source);
    if (known !== undefined) return known;
    const reader = history.read(source, env, notes)!;
    const first = { reader, messages: [...reader.messages()] };
    read.set(source, first);
    return first;
  };
  let sources: SessionSource[] | undefined;
  const readable = (): SessionSource[] =>
    (sources ??= [...history.listSessions(env, notes)].filter(
      (source) => history.summarize(source, env, notes) !== undefined,
    ));

  describe(`${adapter.name} on ${home.split("/").slice(-2).join("/")}`, () => {
    it("lists each session once", () => {
      const ids = readable().map((source) => source.sessionId);
      expect(ids).toHaveLength(sessions);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it("has left something in its places, where they are known", () => {
      const places = AGENT_LOCATIONS[adapter.name]?.(env);
      expect(places === undefined || sessions === 0 || !places.every(isNothingAt)).toBe(true);
    });

    it("gives sources that are plain data and name existing files", () => {
      for (const source of readable()) {
        expect(structuredClone(source)).toEqual(source);
        expect(source.files.length).toBeGreaterThan(0);
        expect(lstatSync(source.path).isFile()).toBe(true);
        expect(source.updatedMs).toBeGreaterThan(0);
      }
    });

    it("says the same of a session from its head and from the whole of it", () => {
      for (const source of readable()) {
        const head = history.summarize(source, env, notes)!;
        const whole = sessionOf(source).reader.head;
        expect({
          id: source.sessionId,
          title: head.title,
          cwd: head.cwd,
          created: head.createdMs,
          parent: head.parentId,
        }).toEqual({
          id: source.sessionId,
          title: whole.title,
          cwd: whole.cwd,
          created: whole.createdMs,
          parent: whole.parentId,
        });
      }
    });

    it("gives the same messages each time it is asked", () => {
      for (const source of readable()) {
        const { reader, messages } = sessionOf(source);
        expect([...reader.messages()]).toEqual(messages);
      }
    });

    it("pairs every tool message with a call and keeps calls on assistant messages", () => {
      for (const source of readable()) {
        const wrong = sessionOf(source).messages.filter(
          ({ role, content, timestamp, toolCalls, toolResult }) =>
            (toolCalls !== undefined && role !== "assistant") ||
            (toolResult !== undefined) !== (role === "tool") ||
            !Number.isFinite(timestamp?.getTime() ?? 0) ||
            typeof content !== "string",
        );
        expect(wrong, source.sessionId).toEqual([]);
      }
    });

    it("bills each request once, in whole tokens", () => {
      for (const source of readable()) {
        const records = [...sessionOf(source).reader.usage()];
        expect(new Set(records.map(({ key }) => key)).size, `${source.sessionId} bills one twice`).toBe(records.length);
        const wrong = records.filter(
          ({ tokens }) =>
            !Object.values(tokens).every((count) => Number.isSafeInteger(count) && count >= 0) ||
            tokens.cacheWrite1h > tokens.cacheWrite ||
            tokens.thinking > tokens.output,
        );
        expect(wrong, source.sessionId).toEqual([]);
      }
    });

    it("tallies what it reads", () => {
      for (const source of readable()) {
        const { messages } = sessionOf(source);
        const reader = history.read(source, env, notes)!;
        const tally = tallyOf(reader);
        const counts = reader.counts?.();
        if (counts !== undefined) expect(counts).toEqual(countMessages(messages));
        expect(tally.turnCount).toBeLessThanOrEqual(messages.filter((m) => m.role === "user").length);
      }
    });

    it("leaves the store as it was", () => {
      const before = treeHash(home);
      for (const source of history.listSessions(env, notes)) {
        if (history.summarize(source, env, notes) === undefined) continue;
        const reader = history.read(source, env, notes)!;
        expect([...reader.messages()].every(({ role }) => role !== undefined)).toBe(true);
        expect(reader.raw()).toBeDefined();
      }
      expect(treeHash(home)).toBe(before);
    });

    it("knows every record type in the recordings", () => {
      expect([...notes.unknownTypes.keys()]).toEqual([]);
    });
  });
}

/** Names, kinds and contents of everything below a directory. */
export function treeHash(directory: string): string {
  const hash = createHash("sha256");
  const visit = (path: string): void => {
    const stat = lstatSync(path);
    hash.update(`${path.slice(directory.length)}\0${stat.mode}\0`);
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
    else if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
    else hash.update(readFileSync(path));
  };
  visit(directory);
  return hash.digest("hex");
}
