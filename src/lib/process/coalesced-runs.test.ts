import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CoalescedRuns } from "./coalesced-runs.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("shared work", () => {
  it("runs once for all callers before it begins, and again for those during it", async () => {
    const { turns, begun, end } = counted();
    const first = [turns.ask(), turns.ask()];
    await until(() => begun() === 1);
    const late = [turns.ask(), turns.ask(), turns.ask()];
    await pause(10);
    expect(begun()).toBe(1);
    end();
    expect(await Promise.all(first)).toEqual([1, 1]);
    await until(() => begun() === 2);
    end();
    expect(await Promise.all(late)).toEqual([2, 2, 2]);
    expect(begun()).toBe(2);
  });

  it("does not run again for a caller that accepts an older result", async () => {
    const { turns, begun, end } = counted();
    const first = turns.ask();
    await until(() => begun() === 1);
    const same = turns.ask(60_000);
    end();
    expect(await Promise.all([first, same, turns.ask(60_000)])).toEqual([1, 1, 1]);
  });

  it("is not done again for each caller if it is slow, until it took as long again", async () => {
    let seconds = 0;
    vi.spyOn(process, "uptime").mockImplementation(() => seconds);
    const { turns, begun, end } = counted(3000);
    const first = turns.ask();
    await until(() => begun() === 1);
    const during = turns.ask();
    seconds = 60;
    end();
    expect(await Promise.all([first, during, turns.ask()])).toEqual([1, 1, 1]);
    seconds = 119;
    expect(await turns.ask()).toBe(1);
    seconds = 120;
    const second = turns.ask();
    await until(() => begun() === 2);
    seconds = 122;
    end();
    expect(await second).toBe(2);
    const third = turns.ask();
    await until(() => begun() === 3);
    end();
    expect(await third, "the last one was quick").toBe(3);
  });

  it("fails for its callers, and runs again for others", async () => {
    let tries = 0;
    let fail = (_: Error): void => undefined;
    const turns = new CoalescedRuns(async () => {
      if (++tries === 1) await new Promise((_, reject) => (fail = reject));
      return tries;
    });
    const first = turns.ask();
    await until(() => tries === 1);
    const second = turns.ask();
    fail(new Error("no"));
    await expect(first).rejects.toThrow("no");
    expect(await second).toBe(2);
  });
});

function counted(slowMs?: number): { turns: CoalescedRuns<number>; begun: () => number; end: () => void } {
  let begun = 0;
  let end = (): void => undefined;
  const turns = new CoalescedRuns(
    async () => {
      const turn = ++begun;
      await new Promise<void>((resolve) => (end = resolve));
      return turn;
    },
    0,
    slowMs,
  );
  return { turns, begun: () => begun, end: () => end() };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(1);
}
