import { expect, it } from "vitest";
import { withLikelyConversations } from "./likely-conversation.ts";
import type { Row } from "./row.ts";

const START = Date.parse("2026-11-18T10:00:00Z");

const row = (more: Partial<Row>): Row => ({
  key: "",
  kind: "live",
  name: "",
  agent: "claude",
  cwd: "/w",
  status: "idle",
  message: "",
  createdMs: START,
  updatedMs: START,
  others: [],
  team: [],
  unread: false,
  ...more,
});

function live(key: string, more: Partial<Row> = {}): Row {
  const meta = { started_at: new Date(START).toISOString() };
  return row({ key, known: { meta, alive: true } as Row["known"] & object, ...more });
}

function past(sessionId: string, afterMs: number, more: Partial<Row> = {}): Row {
  const conversation = { agent: "claude", sessionId };
  return row({ key: `claude:${sessionId}`, kind: "past", createdMs: START + afterMs, conversation, ...more });
}

const found = (runners: readonly Row[], rows: readonly Row[]): (string | undefined)[] =>
  withLikelyConversations(runners, rows).map(({ conversation }) => conversation?.sessionId);

it("a session without hooks is not listed a second time as past", () => {
  const others = [
    past("old", -60_000),
    past("elsewhere", 5000, { cwd: "/v" }),
    past("codex", 5000, { agent: "codex" }),
  ];
  expect(found([live("a")], [past("new", 5000), ...others])).toEqual(["new"]);
});

it("a conversation is taken only if no other session or conversation fits", () => {
  expect(found([live("a")], [past("one", 5000), past("two", 6000)])).toEqual([undefined]);
  expect(found([live("a"), live("b")], [past("one", 5000)])).toEqual([undefined, undefined]);
  const told = live("b", { conversation: { agent: "claude", sessionId: "one" } });
  expect(found([live("a"), told], [past("one", 5000)])).toEqual([undefined, "one"]);
  expect(found([live("a", { kind: "dead" })], [past("one", 5000)])).toEqual([undefined]);
});
