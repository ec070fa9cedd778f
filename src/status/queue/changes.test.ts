import { describe, expect, it } from "vitest";
import type { StoredPrompt } from "../../core/queue.ts";
import { afterAct, dueAt } from "./changes.ts";

const now = new Date(2026, 10, 17, 9, 10).getTime();
const created_at = new Date(2026, 10, 16, 12, 0).toISOString();

function edited(old: Partial<StoredPrompt>, change: { text?: string; when?: string }): StoredPrompt {
  const item: StoredPrompt = {
    id: "q-aaaaaa",
    text: "run the tests",
    when: "idle",
    state: "queued",
    created_at,
    ...old,
  };
  return afterAct({ items: [item] }, { kind: "change", change: { item: item.id, ...change } }, now).items[0]!;
}

describe("a prompt whose text is edited in a form, which sends its time again", () => {
  it("can be edited although its time is over", () => {
    const when = new Date(now - 60_000).toISOString();
    expect(edited({ when }, { text: "run all tests", when })).toMatchObject({ text: "run all tests", when });
  });

  it("keeps the date that is due", () => {
    const prompt = edited({ when: "daily 09:00" }, { text: "run all tests", when: "daily 09:00" });
    expect(dueAt(prompt, now)).toBe(new Date(2026, 10, 17, 9, 0).getTime());
  });

  it("keeps its turn after a reset", () => {
    const due_at = new Date(now + 60_000).toISOString();
    expect(edited({ when: "reset", due_at }, { text: "go on", when: "reset" }).due_at).toBe(due_at);
  });
});

it("a held prompt is not sent again because its time was changed, with the same text beside it", () => {
  const held = { state: "held", note: "It is unknown whether it arrived." } as const;
  expect(() => edited(held, { text: "run the tests", when: "daily 09:00" })).toThrow(/is held/);
  expect(edited(held, { text: "run all tests", when: "idle" })).toMatchObject({ state: "queued" });
});
