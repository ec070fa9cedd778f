import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Details } from "./details.ts";

const answers: ((terminals: string[]) => void)[] = [];

beforeAll(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async () => {
    const found = await new Promise<string[]>((resolve) => answers.push(resolve));
    const terminals = found.map((id) => ({ id }));
    return Response.json({ ok: true, data: { id: "sess-1", terminals } });
  });
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("the answer to an earlier look does not take away a terminal that was opened since", async () => {
  const details = new Details("sess-1");
  details.look();
  details.look();
  answers[1]!(["pty-1", "pty-2"]);
  await vi.advanceTimersByTimeAsync(0);
  expect(details.value.value?.terminals).toHaveLength(2);
  answers[0]!(["pty-1"]);
  await vi.advanceTimersByTimeAsync(0);
  expect(details.value.value?.terminals).toHaveLength(2);
  details.close();
});
