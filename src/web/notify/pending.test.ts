import { describe, expect, it } from "vitest";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import { GRACE_MS, Pending } from "./pending.ts";

function item(session_id: string, reason: AttentionItem["reason"] = "question"): AttentionItem {
  return { session_id, title: session_id, agent: "x", reason, since: "2026-01-01T00:00:00Z", cwd: "/" };
}

function recorded(): { pending: Pending; told: string[] } {
  const told: string[] = [];
  const pending = new Pending({
    show: ({ title }) => told.push(title),
    withdraw: (tag) => told.push(`-${tag.split(" ")[0]}`),
  });
  pending.update([], 0);
  return { pending, told };
}

describe("notifications", () => {
  it("wait for the grace period, and are not repeated", () => {
    const { pending, told } = recorded();
    pending.update([item("a")], 1000);
    expect(pending.tick(1000)).toBe(1000 + GRACE_MS);
    expect(told).toEqual([]);
    expect(pending.tick(1000 + GRACE_MS)).toBeUndefined();
    pending.update([item("a")], 9000);
    pending.tick(90_000);
    expect(told).toEqual(["a asks"]);
  });

  it("are not shown when somebody looked in time, and withdrawn when they look later", () => {
    const { pending, told } = recorded();
    pending.update([item("a"), item("b")], 0);
    pending.seen("a");
    pending.tick(GRACE_MS);
    expect(told).toEqual(["b asks"]);
    pending.seen(undefined);
    expect(told).toEqual(["b asks", "-b"]);
  });

  it("are withdrawn when somebody else answered", () => {
    const { pending, told } = recorded();
    pending.update([item("a", "permission")], 0);
    pending.tick(GRACE_MS);
    pending.update([], GRACE_MS + 1);
    expect(told).toEqual(["a wants permission", "-a"]);
  });

  it("are combined when three wait together, and count down as they are answered", () => {
    const { pending, told } = recorded();
    pending.update([item("a")], 0);
    pending.update([item("a"), item("b"), item("c")], 900);
    pending.tick(GRACE_MS);
    pending.update([item("b"), item("c"), item("d")], 2 * GRACE_MS);
    pending.tick(3 * GRACE_MS);
    pending.update([item("d")], 4 * GRACE_MS);
    pending.update([], 5 * GRACE_MS);
    expect(told).toEqual([
      "3 sessions need your attention",
      "2 sessions need your attention",
      "3 sessions need your attention",
      "d needs your attention",
      "-amux-all",
    ]);
  });

  it("that are combined are withdrawn at once when somebody looks, not counted down before them", () => {
    const { pending, told } = recorded();
    pending.update([item("a"), item("b"), item("c")], 0);
    pending.tick(GRACE_MS);
    pending.seen(undefined);
    expect(told).toEqual(["3 sessions need your attention", "-amux-all"]);
  });

  it("are not shown for what waited before the page was opened", () => {
    const told: string[] = [];
    const pending = new Pending({ show: ({ title }) => told.push(title), withdraw: () => undefined });
    pending.update([item("a")], 0);
    expect(pending.tick(GRACE_MS)).toBeUndefined();
    expect(told).toEqual([]);
  });
});
