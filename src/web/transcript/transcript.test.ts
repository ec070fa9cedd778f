import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";

const ID = "claude:a";
const facts = { unifiedId: ID };
/** What the agent has written; the file is not there yet without it. */
let written: string[] | undefined;
/** While it is set, an answer with what was written before waits until it is released. */
let held: (() => void)[] | undefined;
let page: typeof import("./transcript.ts");
let projection: typeof import("../state/projection.ts");

beforeAll(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("fetch", async (path: string) => {
    const messages = written?.map((content) => ({ role: "assistant", content }));
    if (held !== undefined) await new Promise<void>((resolve) => held!.push(resolve));
    if (messages === undefined)
      return Response.json({ ok: false, error: { code: "not_found", message: "No such session." } }, { status: 404 });
    if (path.includes("format=jsonl"))
      return new Response([facts, ...messages].map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { searchParams } = new URL(path, "http://here");
    const from = Number(searchParams.get("from") ?? 0);
    return Response.json({ ok: true, data: { ...facts, from, messages: messages.slice(from) } });
  });
  projection = await import("../state/projection.ts");
  page = await import("./transcript.ts");
});

beforeEach(() => {
  written = ["first"];
  held = undefined;
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function grow(text: string): void {
  written = [...(written ?? []), text];
  projection.grown.value = { unifiedId: ID, peer: undefined };
}

async function until(count: number): Promise<void> {
  await expect.poll(() => shown.count.value).toBe(count);
}

let shown: InstanceType<typeof page.Transcript>;

it("what is written while it is loaded is shown", async () => {
  const answers = (held = [] as (() => void)[]);
  shown = new page.Transcript(ID, undefined);
  grow("second");
  await vi.advanceTimersByTimeAsync(1000);
  held = undefined;
  answers[0]!();
  await until(2);
  shown.close();
});

it("the answer to an earlier request does not take away what came since", async () => {
  shown = new page.Transcript(ID, undefined);
  await until(1);
  await vi.advanceTimersByTimeAsync(1000);
  const answers = (held = [] as (() => void)[]);
  grow("second");
  await vi.advanceTimersByTimeAsync(1000);
  expect(answers).toHaveLength(1);
  held = undefined;
  grow("third");
  await vi.advanceTimersByTimeAsync(1000);
  answers[0]!();
  await until(3);
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown.count.value).toBe(3);
  shown.close();
});

it("one that did not exist yet is loaded when its agent begins to write", async () => {
  written = undefined;
  shown = new page.Transcript(ID, undefined);
  await expect.poll(() => shown.state.value).toBe("failed");
  grow("first");
  await until(1);
  expect(shown.state.value).toBe("whole");
  shown.close();
});
