import { beforeEach, describe, expect, it } from "vitest";
import { SessionStore } from "../store/store.ts";
import { Conversations } from "./conversations.ts";
import { FileMonitor } from "./file-monitor.ts";
import type { FoundConversation } from "./found-conversation.ts";

const START = Date.parse("2026-03-14T10:00:00Z");

function found(sessionId: string, createdMs: number): FoundConversation {
  const times = { createdMs, updatedMs: createdMs };
  return { agent: "pi", sessionId, path: `/${sessionId}`, title: sessionId, cwd: "/w", ...times, hidden: false };
}

describe("a conversation that one of two waiting sessions writes", () => {
  const conversation = found("k", START + 20_000);
  let store: SessionStore;
  let monitor: FileMonitor;
  let asked: string[][];
  let outside: string[];

  beforeEach(() => {
    store = new SessionStore();
    asked = [];
    outside = [];
    const conversations = new Conversations();
    const notes = { read: () => ({}), write: () => undefined };
    monitor = new FileMonitor(store, conversations, notes, {
      onUnclear: (_, ids) => asked.push([...ids]),
      onWritten: () => undefined,
      isElsewhere: ({ sessionId }) => outside.includes(sessionId),
    });
    start("first", START);
    start("second", START + 10_000);
    const news = { agent: "pi", changed: [conversation], removed: [], first: false };
    conversations.take(news);
    monitor.news(news);
  });

  function start(id: string, startedMs: number): void {
    const started_at = new Date(startedMs).toISOString();
    const program = { kind: "pi", cwd: "/w", command: ["pi"], alive: true, status: null, unread: false };
    store.upsert("runner", id, { created_at: started_at, started_at, ...program });
  }

  function writer(): [string | undefined, string | undefined] {
    const id = store.withKey("pi", "k");
    return [id, id === undefined ? undefined : store.record(id)?.conversation?.by];
  }

  it("is nobody's until the screens were compared", () => {
    expect(asked).toEqual([["first", "second"]]);
    expect(writer()).toEqual([undefined, undefined]);
  });

  it("is that of the one that shows it, though the other was started last", () => {
    monitor.seen(conversation, "first");
    expect(writer()).toEqual(["first", "screen"]);
    monitor.unseen(conversation);
    expect(writer()).toEqual(["first", "screen"]);
  });

  it("is that of the one started last if no screen shows it", () => {
    monitor.unseen(conversation);
    expect(writer()).toEqual(["second", "directory"]);
  });

  it("is nobody's if a session outside of amux turned out to write it", () => {
    outside.push("k");
    monitor.unseen(conversation);
    expect(writer()).toEqual([undefined, undefined]);
  });
});
