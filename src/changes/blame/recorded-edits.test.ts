import { join } from "node:path";
import { expect, it } from "vitest";
import { AgentRegistry } from "../../agents/registry.ts";
import { SessionManager } from "../../history/manager.ts";
import { editTexts } from "./edit-text.ts";
import { foreignPath, repositoryPath } from "./edit-places.ts";
import { recordedEdits } from "./recorded-edits.ts";
import { editsIn } from "./session-edits.ts";

const AGENTS = join(import.meta.dirname, "../../agents");

/** Of real recordings: at least one edit of every agent that was recorded editing. */
it.each([
  ["claude", "home", "src/routes.js", "  'GET /health': () => ({ ok: true }),"],
  ["codex", "home", "src/routes.js", "  'GET /health': () => ({ ok: true }),"],
  ["codex", "home", "LINES.md", "5 + 4 lines"],
  ["copilot", "home", "src/cart.js", "export function total(items, discount = 0) {"],
  ["cursor", "home", "test/checkout.test.js", "qty: 2 }], 0)"],
  ["gemini", "home", "src/cart.js", "export function total(items, discount = 0) {"],
  ["hermes", "home", "src/webhook.js", "import { createHmac, timingSafeEqual } from 'node:crypto';"],
  ["cline", "home", "src/cart.js", "  return sum * (1 - discount);"],
  ["droid", "home", "src/cart.js", "  return sum * (1 - discount);"],
  ["grok", "home", "src/cart.js", "  return sum * (1 - discount);"],
  ["omp", "home", "src/store-sqlite.js", "export const save = () => {};"],
  ["openclaw", "home", "NOTES-count.md", "- count command added"],
  ["opencode", "home", "src/cart.js", "  return sum * (1 - discount);"],
  ["kilo", "home", "src/cart.js", "  return sum * (1 - discount);"],
  ["kimi", "home", "src/cart.js", "  return sum * (1 - discount);"],
  ["qwen", "home", "src/cart.js", "  return sum * (1 - discount);"],
  ["pi", "home", "src/cart.js", "export function count(cart) { return cart.length; }"],
])("finds %s's edits in %s: %s", async (agent, home, path, line) => {
  const env = { home: join(AGENTS, agent, "fixtures", home), platform: "linux" as const, vars: {} };
  const manager = new SessionManager(new AgentRegistry(), env);
  const roots = ["shop-api", "shop-web", "shop-cli"].map((name) => `/home/user/dev/${name}`);
  const { edits, skipped } = await recordedEdits(manager, { roots, paths: new Set([path]) });
  expect(skipped).toBe(0);
  expect(edits.flatMap(({ newLines }) => newLines)).toContain(line);
  expect(edits.every((edit) => edit.path === path && edit.sessionId !== "")).toBe(true);
});

it("does not count a call that failed, was refused, or ran in a shell", () => {
  const call = (toolCallId: string, toolName: string, input: object) => ({ toolCallId, toolName, input });
  const result = (toolCallId: string, isError?: true) => ({
    role: "tool" as const,
    content: "said",
    toolResult: { toolCallId, toolName: "Edit", output: "said", ...(isError ? { isError } : {}) },
  });
  const input = { file_path: "/repo/a.ts", old_string: "old", new_string: "new" };
  const messages = [
    {
      role: "assistant" as const,
      content: "",
      timestamp: new Date(0),
      toolCalls: [
        call("done", "Edit", input),
        call("failed", "Edit", input),
        call("refused", "Edit", input),
        call("shell", "Bash", { command: "cat > /repo/a.ts <<X\nnew\nX" }),
        call("elsewhere", "mcp__github__create_or_update_file", { path: "a.ts", content: "new" }),
      ],
    },
    result("done"),
    result("failed", true),
    result("shell"),
    result("elsewhere"),
  ];
  const found = [...editsIn({ messages: () => messages })];
  expect(found.map(({ toolCallId, messageIndex }) => [toolCallId, messageIndex])).toEqual([["done", 0]]);
});

it("takes a whole file that was read before as new only in lines that the session had not seen", () => {
  const messages = [
    {
      role: "assistant" as const,
      content: "",
      toolCalls: [{ toolCallId: "r", toolName: "read", input: { path: "a.ts" } }],
    },
    { role: "tool" as const, content: "", toolResult: { toolCallId: "r", toolName: "read", output: "1: known line" } },
    {
      role: "assistant" as const,
      content: "",
      toolCalls: [{ toolCallId: "w", toolName: "write", input: { path: "a.ts", content: "known line\nown line\n" } }],
    },
    {
      role: "tool" as const,
      content: "",
      toolResult: { toolCallId: "w", toolName: "write", output: "Wrote 20 bytes" },
    },
  ];
  expect([...editsIn({ messages: () => messages })][0]?.isAdded).toEqual([false, true]);
});

it.each([
  ["a path with the word created", {}, "The file /r/src/order-created.ts has been updated successfully."],
  ["a part of it was read", { read: { path: "src/order-created.ts", limit: 2 } }, "Wrote 20 bytes"],
  ["another file of this name was read", { read: { path: "test/order-created.ts" } }, "Wrote 20 bytes"],
  ["its lines were counted", { read: { command: "wc -l src/order-created.ts" } }, "Wrote 20 bytes"],
  [
    "its line was in the prompt",
    { read: { path: "src/order-created.ts" }, prompt: "a line of mine" },
    "Wrote 20 bytes",
  ],
] as [string, { read?: object; prompt?: string }, string][])(
  "does not take a whole file's lines for a session's own: %s",
  (_, { read = { command: "ls" }, prompt = "do it" }, output) => {
    const call = (toolCallId: string, toolName: string, input: object) => ({
      role: "assistant" as const,
      content: "",
      toolCalls: [{ toolCallId, toolName, input }],
    });
    const result = (toolCallId: string, toolName: string, said: string) => ({
      role: "tool" as const,
      content: "",
      toolResult: { toolCallId, toolName, output: said },
    });
    const messages = [
      { role: "user" as const, content: prompt },
      call("r", "read", read),
      result("r", "read", "something else"),
      call("w", "write", { path: "/r/src/order-created.ts", content: "a line of mine\n" }),
      result("w", "write", output),
    ];
    const [edit] = [...editsIn({ messages: () => messages })];
    expect([edit?.isCreation, edit?.isAdded]).toEqual([false, [false]]);
  },
);

it("reads patches part by part", () => {
  const patch =
    "*** Begin Patch\n*** Update File: a.ts\n@@\n one\n-two\n+three\n@@\n+four\n*** Add File: b.ts\n+five\n*** End Patch";
  expect(editTexts("apply_patch", patch)).toMatchObject([
    { path: "a.ts", oldLines: ["one", "two"], newLines: ["one", "three"], isAdded: [false, true], isWhole: false },
    { path: "a.ts", newLines: ["four"], isAdded: [true] },
    { path: "b.ts", newLines: ["five"], isWhole: true },
  ]);
  const kept = "*** Begin Patch\n*** Update File: a.ts\n@@\n-one\n-two\n+one\n+three\n*** End Patch";
  expect(editTexts("apply_patch", kept)).toMatchObject([{ isRemoved: [false, true], isAdded: [false, true] }]);
});

it("finds a file in the repository, its worktrees, and in worktrees that are gone", () => {
  const places = { roots: ["/r/shop", "/r/other"], nests: ["/r/shop.worktrees"], names: ["shop"] };
  expect(repositoryPath(places, "src/a.ts", "/r/shop")?.path).toBe("src/a.ts");
  expect(repositoryPath(places, "/r/other/src/a.ts", undefined)?.path).toBe("src/a.ts");
  expect(repositoryPath(places, "/r/shop.worktrees/fix/src/a.ts", undefined)?.path).toBe("src/a.ts");
  expect(repositoryPath(places, "/r/shop/.claude/worktrees/fix/src/a.ts", undefined)?.path).toBe("src/a.ts");
  expect(repositoryPath(places, "../shopping/a.ts", "/r/shop")).toBeUndefined();
  expect(foreignPath(places, "/Users/me/shop/src/a.ts", undefined)).toBe("src/a.ts");
  expect(foreignPath(places, "/Users/me/shop/src/shop/a.ts", undefined)).toBe("src/shop/a.ts");
  expect(repositoryPath(places, "/r/shop.worktrees/fix/src/a.ts", undefined)?.checkout).toBe("/r/shop.worktrees/fix");
  expect(foreignPath(places, "/Users/me/else/src/a.ts", undefined)).toBeUndefined();
});
