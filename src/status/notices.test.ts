import { describe, expect, it } from "vitest";
import type { AttentionItem, Reason } from "./attention.ts";
import { Notices, type NoticeMemory } from "./notices.ts";
import { withoutSnoozed } from "./snooze.ts";

const GRACE_MS = 5000;

function item(ref: string, reason: Reason, since: number, text?: string): AttentionItem {
  return { ref, name: ref, place: "amux", agent: "claude", reason, since, cwd: "/", ...(text ? { text } : {}) };
}

function listening(): Notices {
  const notices = new Notices({ graceMs: GRACE_MS, reasons: new Set(["permission", "question", "error"]) });
  notices.update([], 0);
  return notices;
}

describe("a notification", () => {
  it("is sent after the grace period, once", () => {
    const notices = listening();
    const queue = [item("shop", "permission", 1000, "Bash: make")];
    expect(notices.update(queue, 1000)).toEqual([]);
    expect(notices.nextAt).toBe(6000);
    expect(notices.update(queue, 5999)).toEqual([]);
    expect(notices.update(queue, 6000)).toMatchObject([
      { kind: "send", notice: { id: "amux-1", title: "shop needs your permission", body: "Bash: make" } },
    ]);
    expect(notices.update(queue, 60_000)).toEqual([]);
    expect(notices.nextAt).toBeUndefined();
  });

  it("is not sent for what is over before", () => {
    const notices = listening();
    notices.update([item("shop", "permission", 1000)], 1000);
    expect(notices.update([], 3000)).toEqual([]);
    expect(notices.update([], 9000)).toEqual([]);
  });

  it("is not sent after somebody looked, and withdrawn when they look later", () => {
    const notices = listening();
    const [first, second] = [item("shop", "permission", 1000), item("blog", "question", 2000)];
    notices.update([first], 1000);
    expect(notices.seen(1500)).toEqual([]);
    expect(notices.nextAt).toBe(301_500);
    notices.update([first, second], 2000);
    expect(notices.update([first, second], 9000)).toMatchObject([{ kind: "send", notice: { items: [second] } }]);
    expect(notices.seen(9100)).toMatchObject([{ kind: "withdraw", notice: { items: [second] } }]);
    expect(notices.seen(9200)).toEqual([]);
    expect(notices.update([], 9500)).toEqual([]);
  });

  it("is sent minutes after somebody saw a question and left it", () => {
    const notices = listening();
    const queue = [item("shop", "permission", 1000), item("blog", "error", 1000)];
    notices.update(queue, 1000);
    notices.seen(2000);
    expect(notices.update(queue, 301_999)).toEqual([]);
    expect(notices.update(queue, 302_000)).toMatchObject([{ kind: "send", notice: { items: [queue[0]] } }]);
    expect(notices.nextAt).toBeUndefined();
  });

  it("waits while somebody types in the session's terminal", () => {
    const notices = listening();
    const queue = [item("shop", "permission", 1000)];
    const lookedUntil = (): number => 61_000;
    notices.update(queue, 1000, lookedUntil);
    expect(notices.update(queue, 6000, lookedUntil)).toEqual([]);
    expect(notices.nextAt).toBe(61_000);
    expect(notices.update(queue, 61_000, lookedUntil)).toMatchObject([{ kind: "send" }]);
  });

  it("of an earlier process is withdrawn when its question was answered, and not sent twice", () => {
    const earlier = listening();
    const queue = [item("shop", "permission", 1000), item("blog", "question", 1000)];
    earlier.update(queue, 1000);
    earlier.update(queue, 6000);
    expect(earlier.open).toHaveLength(2);
    const later = new Notices({ graceMs: GRACE_MS, reasons: new Set(["permission", "question"]) }, earlier.memory);
    const [shop, blog] = queue as [AttentionItem, AttentionItem];
    expect(later.update([blog], 20_000)).toMatchObject([{ kind: "withdraw", notice: { items: [shop] } }]);
    expect(later.update([blog], 30_000)).toEqual([]);
    const next = item("shop", "permission", 31_000);
    later.update([blog, next], 31_000);
    expect(later.update([blog, next], 36_000)).toMatchObject([{ kind: "send", notice: { id: "amux-3" } }]);
    expect(later.update([next], 37_000)).toMatchObject([{ kind: "withdraw", notice: { id: "amux-2" } }]);
  });

  it("is sent for a question that a restart of the daemon came upon", () => {
    const later = new Notices({ graceMs: GRACE_MS, reasons: new Set(["permission"]) }, { open: [], unsent: [] });
    const queue = [item("shop", "permission", 997_000), item("old", "permission", 1000)];
    expect(later.update(queue, 1_000_000)).toEqual([]);
    expect(later.update(queue, 1_005_000)).toMatchObject([{ kind: "send", notice: { items: [queue[0]] } }]);
    expect(later.nextAt).toBeUndefined();
  });

  it("is not sent again at once after a restart for what somebody has just seen, but minutes later", () => {
    const earlier = listening();
    const queue = [item("shop", "permission", 1000), item("blog", "error", 1000)];
    earlier.update(queue, 1000);
    earlier.update(queue, 6000);
    expect(earlier.seen(10_000)).toHaveLength(2);
    const memory = JSON.parse(JSON.stringify(earlier.memory)) as NoticeMemory;
    const later = new Notices({ graceMs: GRACE_MS, reasons: new Set(["permission", "error"]) }, memory);
    expect(later.update(queue, 20_000)).toEqual([]);
    expect(later.update(queue, 30_000)).toEqual([]);
    expect(later.update(queue, 310_000)).toMatchObject([{ kind: "send", notice: { items: [queue[0]] } }]);
  });

  it("is withdrawn when it was answered, and the next question is a new one", () => {
    const notices = listening();
    const first = item("shop", "permission", 1000);
    notices.update([first], 1000);
    notices.update([first], 6000);
    const second = item("shop", "permission", 7000);
    expect(notices.update([second], 7000)).toMatchObject([{ kind: "withdraw", notice: { id: "amux-1" } }]);
    expect(notices.update([second], 12_000)).toMatchObject([{ kind: "send", notice: { id: "amux-2" } }]);
  });

  it("combines many, and is withdrawn with the last of them", () => {
    const notices = listening();
    const queue = ["a", "b", "c", "d"].map((ref) => item(ref, "question", 1000));
    notices.update(queue, 1000);
    const sent = notices.update(queue, 6000);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ notice: { title: "4 sessions wait for you" } });
    expect(sent[0]!.notice.body.split("\n")).toHaveLength(4);
    expect(notices.update(queue.slice(0, 1), 7000)).toEqual([]);
    expect(notices.update([], 8000)).toMatchObject([{ kind: "withdraw", notice: { id: "amux-1" } }]);
  });

  it("is not sent for earlier events, nor for unwanted reasons", () => {
    const notices = new Notices({ graceMs: 0, reasons: new Set(["permission"]) });
    const old = item("old", "permission", 1);
    expect(notices.update([old], 1000)).toEqual([]);
    expect(notices.update([old, item("new", "finished", 1500)], 9000)).toEqual([]);
  });
});

describe("a snooze", () => {
  const snoozes = new Map([["shop", { at: 1000, until: 5000 }]]);

  it("hides what waited when it was set, and ends by itself", () => {
    const queue = [item("shop", "permission", 900), item("other", "permission", 900)];
    expect(withoutSnoozed(queue, snoozes, 2000).map(({ ref }) => ref)).toEqual(["other"]);
    expect(withoutSnoozed(queue, snoozes, 5000)).toHaveLength(2);
  });

  it("lets a new question through", () => {
    expect(withoutSnoozed([item("shop", "permission", 1500)], snoozes, 2000)).toHaveLength(1);
  });
});
