import { afterAll, beforeAll, expect, it, vi } from "vitest";

let answers = false;
/** While it is set, each request waits to be answered. */
let waiting: ((sessions: object[]) => void)[] | undefined;
let table: typeof import("./table-request.ts");

beforeAll(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("fetch", async () => {
    if (!answers) throw new TypeError("no answer");
    const data = waiting === undefined ? [] : await new Promise((resolve) => waiting!.push(resolve));
    return Response.json({ ok: true, data });
  });
  table = await import("./table-request.ts");
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("a table that could not be loaded is loaded again by itself", async () => {
  const stop = table.keepListed(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(table.state.value).toBe("failed");
  answers = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(table.state.value).toBe("done");
  stop();
});

it("the answer to an earlier load does not take away a tag that was given since", async () => {
  const session = { agent: "claude", sessionId: "a", unifiedId: "claude:a" };
  table.listed.value = [{ ...session, tags: [] as string[] } as (typeof table.listed.value)[number]];
  const asked = (waiting = []) as NonNullable<typeof waiting>;
  const stop = table.keepListed(false);
  const again = table.loadAgain();
  await vi.advanceTimersByTimeAsync(0);
  asked[1]!([{ ...session, tags: ["reef"] }]);
  await again;
  expect(table.listed.value[0]!.tags).toEqual(["reef"]);
  asked[0]!([{ ...session, tags: [] }]);
  await vi.advanceTimersByTimeAsync(0);
  expect(table.listed.value[0]!.tags).toEqual(["reef"]);
  stop();
  table.listed.value = [];
});
