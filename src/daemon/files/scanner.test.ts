import { expect, it } from "vitest";
import { Dismissed } from "../actions/dismissed.ts";
import { SessionStore } from "../store/store.ts";
import { Conversations } from "./conversations.ts";
import type { FoundConversation } from "./found-conversation.ts";
import { Scanner } from "./scanner.ts";

function found(title: string, more: Partial<FoundConversation> = {}): FoundConversation {
  const times = { createdMs: 0, updatedMs: 0, hidden: false };
  return { agent: "claude", sessionId: "1", path: "/1.jsonl", title, ...times, resumeCommand: ["claude"], ...more };
}

class Machine {
  readonly store = new SessionStore();
  readonly dismissed = new Dismissed();
  readonly scanner = new Scanner({
    store: this.store,
    dismissed: this.dismissed,
    runners: { storedIds: () => [] },
    conversations: new Conversations(),
  });

  news(...changed: FoundConversation[]): void {
    this.scanner.news({ agent: "claude", changed, removed: [], first: false });
  }

  titles(): string[] {
    return this.store.list().map(({ title, in_vault }) => `${title}${in_vault ? " [vault]" : ""}`);
  }
}

it("adds a row at the next scan, and changes it at once", () => {
  const machine = new Machine();
  machine.news(found("one"));
  expect(machine.titles()).toEqual([]);
  machine.scanner.scan();
  expect(machine.titles()).toEqual(["one"]);
  machine.news(found("one, deleted", { inVault: true }));
  expect(machine.titles()).toEqual(["one, deleted [vault]"]);
});

it("leaves a dismissed conversation hidden, however it changes", () => {
  const machine = new Machine();
  machine.news(found("one"), found("two", { sessionId: "2", path: "/2.jsonl" }));
  machine.scanner.scan();
  const id = machine.store.withKey("claude", "1")!;
  machine.dismissed.add(machine.store.record(id)!);
  machine.store.remove(id);
  machine.news(found("one, changed"));
  machine.scanner.scan();
  expect(machine.titles()).toEqual(["two"]);
});
