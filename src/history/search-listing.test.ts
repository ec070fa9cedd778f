import { afterEach, describe, expect, it, vi } from "vitest";
import { clientOf, madeAgent } from "../../test/support/made-agent.ts";
import { says, session } from "../../test/support/made-talk.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import type { AgentMuxClient } from "../index.ts";
import { SharedProgress } from "./shared-progress.ts";

const STALE_MS = 60_000;
const GIVEN_UP = new Error("nobody waits for it any more");
const STEP = { agent: "made", stage: "heads", done: 1, total: 2 } as const;

afterEach(() => void vi.useRealTimers());

describe("whoever searches again soon", () => {
  it("has the stores listed once, for searching and for counting", async () => {
    const { client, lists } = searched();
    const ask = () => client.sessions.search({ text: "needle", staleMs: STALE_MS });
    const first = await ask();
    expect(first.map(({ sessionId, messageCount }) => [sessionId, messageCount])).toEqual([["a", 2]]);
    const once = lists();
    expect(await ask()).toEqual(first);
    expect(lists()).toBe(once);
  });

  it("has them listed anew when that was too long ago, or when only the present will do", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { client, lists } = searched();
    await client.sessions.search({ text: "needle", staleMs: STALE_MS });
    const once = lists();
    vi.advanceTimersByTime(STALE_MS);
    await client.sessions.search({ text: "needle", staleMs: STALE_MS });
    expect(lists()).toBe(2 * once);
    await client.sessions.search({ text: "needle" });
    expect(lists()).toBe(3 * once);
  });

  it("is not disturbed by a search that was given up before", async () => {
    const { client } = searched();
    const giveUp = (): never => {
      throw GIVEN_UP;
    };
    const query = { text: "needle", staleMs: STALE_MS };
    await expect(client.sessions.search({ ...query, onProgress: giveUp })).rejects.toBe(GIVEN_UP);
    const progress = vi.fn<() => void>();
    const [hit] = await client.sessions.search({ ...query, onProgress: progress });
    expect(hit).toMatchObject({ sessionId: "a", messageCount: 2 });
    expect(progress).toHaveBeenCalled();
  });
});

describe("progress of what several wait for", () => {
  it("goes to each of them until it has its answer", () => {
    const shared = new SharedProgress();
    const [one, other] = [vi.fn<() => void>(), vi.fn<() => void>()];
    shared.join(one);
    const leave = shared.join(other);
    shared.report(STEP);
    leave();
    shared.report(STEP);
    expect(one).toHaveBeenCalledTimes(2);
    expect(other).toHaveBeenCalledTimes(1);
  });

  it("ends the work only when all of them have given up", () => {
    const shared = new SharedProgress();
    const giveUp = (): never => {
      throw GIVEN_UP;
    };
    shared.join(giveUp);
    const leave = shared.join();
    expect(() => shared.report(STEP)).not.toThrow();
    leave();
    expect(() => shared.report(STEP)).toThrow(GIVEN_UP);
  });
});

function searched(): { client: AgentMuxClient; lists: () => number } {
  const agent = madeAgent("made", [
    session("a", says("user", "needle"), says("assistant", "yes")),
    session("b", says("user", "hay")),
  ]);
  const list = vi.spyOn(agent.history!, "listSessions");
  return { client: clientOf(tempHome().path, agent), lists: () => list.mock.calls.length };
}
