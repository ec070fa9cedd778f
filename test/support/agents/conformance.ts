/** The suite that every adapter passes on every recorded home. */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentAdapter, AgentEnv, SessionSource } from "../../../src/agents/adapter.ts";
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

export function conformance(adapter: AgentAdapter, { home, sessions, vars = {} }: ConformanceHome): void {
  const env: AgentEnv = { home, platform: "linux", vars };
  const history = adapter.history!;
  const notes = new ReadNotes();
  const readable = (): SessionSource[] =>
    history.listSessions(env, notes).filter((source) => history.summarize(source, env, notes) !== undefined);

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
        const whole = history.read(source, env, notes)!.head;
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
        const reader = history.read(source, env, notes)!;
        expect([...reader.messages()]).toEqual([...reader.messages()]);
      }
    });

    it("pairs every tool message with a call and keeps calls on assistant messages", () => {
      for (const source of readable()) {
        const calls = new Set<string>();
        for (const message of history.read(source, env, notes)!.messages()) {
          for (const call of message.toolCalls ?? []) calls.add(call.toolCallId);
          expect(message.toolCalls === undefined || message.role === "assistant").toBe(true);
          expect(message.toolResult !== undefined).toBe(message.role === "tool");
          expect(Number.isFinite(message.timestamp?.getTime() ?? 0)).toBe(true);
          expect(typeof message.content).toBe("string");
        }
      }
    });

    it("bills each request once, in whole tokens", () => {
      for (const source of readable()) {
        const keys = new Set<string>();
        for (const record of history.read(source, env, notes)!.usage()) {
          expect(keys.has(record.key), `${source.sessionId} bills ${record.key} twice`).toBe(false);
          keys.add(record.key);
          for (const count of Object.values(record.tokens))
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          expect(record.tokens.cacheWrite1h).toBeLessThanOrEqual(record.tokens.cacheWrite);
          expect(record.tokens.thinking).toBeLessThanOrEqual(record.tokens.output);
        }
      }
    });

    it("tallies what it reads", () => {
      for (const source of readable()) {
        const reader = history.read(source, env, notes)!;
        const tally = tallyOf(reader);
        expect(reader.counts?.() ?? countMessages(reader.messages())).toEqual(countMessages(reader.messages()));
        expect(tally.turnCount).toBeLessThanOrEqual([...reader.messages()].filter((m) => m.role === "user").length);
      }
    });

    it("leaves the store as it was", () => {
      const before = treeHash(home);
      for (const source of readable()) {
        const reader = history.read(source, env, notes)!;
        for (const message of reader.messages()) expect(message.role).toBeDefined();
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
