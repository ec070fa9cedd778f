import { expect, it } from "vitest";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { fieldIn, filterOf, withField } from "./filter.ts";
import { rowsOf, type Listed } from "./rows.ts";

const NOW = Date.parse("2026-11-17T12:00:00Z");

function listed(id: string, more: Partial<Listed> = {}): Listed {
  return {
    agent: "claude",
    sessionId: id,
    unifiedId: `claude:${id}`,
    title: `Talk ${id}`,
    createdAt: "2026-11-01T10:00:00Z",
    updatedAt: "2026-11-01T11:00:00Z",
    turnCount: 3,
    messageCount: 9,
    tags: [],
    ...more,
  };
}

function live(id: string, more: Partial<MuxSession> = {}): MuxSession {
  return {
    id,
    created_at: "2026-11-17T10:00:00Z",
    started_at: "2026-11-17T10:00:00Z",
    command: ["claude"],
    cwd: "/home/u/shop",
    kind: "claude",
    alive: true,
    title: id,
    status: null,
    unread: false,
    stale: false,
    ...more,
  };
}

const ROWS = rowsOf(
  [
    listed("a", { model: "opus", cwd: "/home/u/shop api", tags: ["night"], cost: cost(2) }),
    listed("b", { agent: "codex", unifiedId: "codex:b", title: "Fix the cart", branch: "main" }),
    listed("c", { peer: "box", updatedAt: "2026-11-17T11:00:00Z", cost: cost(0.2), partial: true }),
    listed("note", { memory: true }),
  ],
  [
    live("sess-1", { resume_key: "a" }),
    live("sess-0", { resume_key: "a", alive: false }),
    live("sess-2", { kind: "shell", alive: false, exit_code: 2, title: "make" }),
  ],
  new Map([["sess-1", "question"]]),
);

function cost(totalUsd: number): NonNullable<Listed["cost"]> {
  return { totalUsd, inputTokens: 1, outputTokens: 1, kind: "computed" };
}

const found = (text: string): string[] => {
  const filter = filterOf(text, NOW);
  if ("problem" in filter) return [filter.problem];
  return ROWS.filter(filter.matches).map(({ key }) => key);
};

it("a conversation and the terminal that writes it are one row", () => {
  expect(ROWS.map(({ key, state }) => [key, state])).toEqual([
    ["claude:a", "waiting"],
    ["codex:b", "ended"],
    ["claude:c@box", "ended"],
    ["sess-2", "exited (2)"],
  ]);
  expect(ROWS[0]!.session!.id).toBe("sess-1");
  expect(ROWS[2]!.turns).toBeUndefined();
});

it.each([
  ["", ["claude:a", "codex:b", "claude:c@box", "sess-2"]],
  ["cart", ["codex:b"]],
  ["-agent:codex talk", ["claude:a", "claude:c@box"]],
  ['project:"shop api"', ["claude:a"]],
  ["state:running", ["claude:a"]],
  ["state:exited", ["sess-2"]],
  ["tag:night model:opus", ["claude:a"]],
  ["machine:box", ["claude:c@box"]],
  ["cost:>1", ["claude:a"]],
  ["cost:<$1", ["claude:c@box"]],
  ["after:2h machine:box", ["claude:c@box"]],
  ["before:2026-11-02", ["codex:b"]],
  ["https://example", []],
  ["ended", []],
  ["cost:much", ["cost: takes a number, as in cost:>1 or cost:<0.5."]],
  ["after:never", ["after: takes a date like 2026-11-01, or an age like 12h, 7d, 2w, 3mo."]],
])("%j finds %j", (text, keys) => {
  expect(found(text)).toEqual(keys);
});

it("a field is put into the text, replaced and taken out", () => {
  expect(withField("cart", "project", "shop api")).toBe('cart project:"shop api"');
  expect(withField('cart project:"shop api" x', "project", "web")).toBe("cart x project:web");
  expect(withField("cart agent:pi", "agent", "")).toBe("cart");
  expect(fieldIn('cart project:"shop api"', "project")).toBe("shop api");
});
