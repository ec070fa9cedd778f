import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { Changes } from "./changes.ts";

const REVIEW = { comments: [] as object[] };
let endComparison!: () => void;
let compared: Promise<void>;

beforeAll(() => {
  vi.stubGlobal("fetch", async (path: string, { method = "GET" }: RequestInit = {}) => {
    if (method !== "GET") REVIEW.comments.push({ id: "c1", state: "draft" });
    const data = structuredClone(path.includes("/review") ? REVIEW : { files: [] });
    if (!path.includes("/review")) await compared;
    return Response.json({ ok: true, data });
  });
});

beforeEach(() => {
  REVIEW.comments = [];
  compared = new Promise<void>((resolve) => (endComparison = resolve));
});

afterAll(() => void vi.unstubAllGlobals());

it("a comparison that began before a comment was written does not hide it", async () => {
  const changes = new Changes({ id: "sess-1" });
  const loaded = changes.load({});
  // Its review has come, and does not have the comment.
  await new Promise((resolve) => setTimeout(resolve));
  await changes.change({ resolve: "c0" } as unknown as Parameters<Changes["change"]>[0]);
  expect(changes.comments.value).toHaveLength(1);
  endComparison();
  await loaded;
  expect(changes.comments.value).toHaveLength(1);
  changes.close();
});

it("a comparison that nobody asked for does not take away the lines of a comment that was begun meanwhile", async () => {
  const changes = new Changes({ id: "sess-1" });
  const loaded = changes.refresh();
  changes.selection.value = {} as NonNullable<typeof changes.selection.value>;
  endComparison();
  await loaded;
  expect(changes.selection.value).not.toBeNull();
  expect([changes.isOutdated.value, changes.isLoading.value]).toEqual([true, false]);
  changes.close();
});
