import { expect, it } from "vitest";
import { EvidenceBoard } from "./evidence-board.ts";
import { GRACE_MS } from "./evidence.ts";

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

it("returns the deciding report, as it came", () => {
  const board = new EvidenceBoard();
  expect([board.current, board.all(), board.settlesInMs]).toEqual([undefined, [], undefined]);
  const asked = { state: "permission", source: "hook", ask: "a", message: "Bash: make", at: ago(5000) } as const;
  board.set({ state: "working", source: "hook", begins: true, at: ago(9000) });
  board.set(asked);
  expect(board.current).toEqual(asked);
  expect(board.all().map(({ state, source }) => `${source} ${state}`)).toEqual(["hook permission", "hook working"]);
});

it("says when to check again", () => {
  const now = Date.now();
  const board = new EvidenceBoard(() => now);
  board.set({ state: "working", source: "hook", at: ago(5000) });
  board.set({ state: "idle", source: "agent" });
  expect(board.current?.state).toBe("working");
  expect(board.settlesInMs).toBeGreaterThan(GRACE_MS / 2);
  expect(board.settlesInMs).toBeLessThanOrEqual(GRACE_MS);
});

it("drops withdrawn reports", () => {
  const board = new EvidenceBoard();
  board.set({ state: "working", source: "agent" });
  board.set({ state: "permission", source: "hook", ask: "a" });
  board.clear("hook");
  expect(board.current?.state).toBe("working");
  board.clearAll();
  expect(board.current).toBeUndefined();
});
