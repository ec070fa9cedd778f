import { afterAll, beforeAll, expect, it, vi } from "vitest";

let answers = false;
let table: typeof import("./table-request.ts");

beforeAll(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("fetch", () =>
    answers ? Promise.resolve(Response.json({ ok: true, data: [] })) : Promise.reject(new TypeError("no answer")),
  );
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
