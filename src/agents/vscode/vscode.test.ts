import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { copiedHome, madeHome, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedIds, readSession } from "../../../test/support/agents/reading.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import vscode from "./index.ts";
import { replay } from "./mutation-log.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const made: AgentEnv = { home: HOME, platform: "linux", vars: {} };
const WORKSPACE = ".config/Code/User/workspaceStorage/3f1c0b7a9d2e4f5681a2b3c4d5e6f708";
const [CART, OLD, EMPTY] = [1, 2, 3].map((number) => `6d2f1a90-0000-4000-8000-00000000000${number}`) as [
  string,
  string,
  string,
];

conformance(vscode, { home: HOME, sessions: 3 });

it("is marked as experimental wherever its name is shown", () => {
  expect(vscode.displayName).toBe("VS Code Copilot chat (experimental)");
});

describe("a chat", () => {
  it("is the document after all changes of its log", () => {
    const { reader } = readSession(vscode.history, made, CART);
    expect(reader.head).toMatchObject({
      title: "Discount in the cart",
      cwd: "/home/user/dev/größe",
      model: "gpt-4.1",
      usageUnknown: true,
    });
    const messages = [...reader.messages()];
    expect(messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "tool", "tool", "tool", "assistant", "user", "assistant", "system"],
    ]);
    expect(messages[1]).toMatchObject({
      content: "I read the cart in cart.ts first.",
      thinking: "The cart is in src/cart.ts.",
      toolCalls: [
        { toolName: "copilot_readFile", output: "export const total = (items) => items.length" },
        { toolName: "run_in_terminal", input: { command: "npm test" }, output: "1 test failed", isError: true },
        { toolName: "delete_file", output: "Denied", isError: true },
        { toolName: "textEditGroup", input: { path: "/home/user/dev/größe/src/cart.ts" } },
      ],
    });
    expect(messages.at(-1)).toMatchObject({ role: "system", content: "Interrupted" });
  });

  it("that an older version wrote as one document is read too, with its error", () => {
    const messages = [...readSession(vscode.history, made, OLD).reader.messages()];
    expect(messages[1]!.toolCalls).toMatchObject([{ toolName: "runSubagent", output: "The type check." }]);
    expect(messages.at(-1)).toMatchObject({ role: "system", content: "Sorry, you have been rate-limited." });
  });

  it("of a window without a folder has none", () => {
    expect(readSession(vscode.history, made, EMPTY).reader.head.cwd).toBeUndefined();
  });

  it("in which nothing was said is none", () => {
    const env = madeHome({
      [`${WORKSPACE}/chatSessions/${EMPTY}.jsonl`]: '{"kind":0,"v":{"creationDate":1,"requests":[]}}\n',
    });
    const notes = new ReadNotes();
    const [source] = vscode.history.listSessions(env, notes);
    expect(vscode.history.summarize(source!, env, notes)).toBeUndefined();
    expect(notes.skipped).toEqual([]);
  });

  it("is listed once where it was copied to", () => {
    const env = copiedHome(HOME);
    const line = JSON.stringify({ kind: 0, v: { requests: [{ message: "Later", timestamp: 1 }] } });
    writeIn(env, `${WORKSPACE}/chatSessions/${EMPTY}.jsonl`, `${line}\n`);
    expect(listedIds(vscode.history, env).filter((id) => id === EMPTY)).toHaveLength(1);
    writeIn(env, `${WORKSPACE}/chatSessions/${CART}.json`, "{}");
    expect(readSession(vscode.history, env, CART).reader.head.title).toBe("Discount in the cart");
  });

  it("loses only the change that is damaged, and says so", () => {
    const env = copiedHome(HOME);
    const path = join(env.home, WORKSPACE, "chatSessions", `${CART}.jsonl`);
    appendFileSync(path, '{"kind":1,"k":["requests",9,"modelId"],"v":1}\n{"kind":2,"k":["reque\n');
    const notes = new ReadNotes();
    const source = vscode.history.listSessions(env, notes).find(({ sessionId }) => sessionId === CART)!;
    expect([...vscode.history.read(source, env, notes)!.messages()]).toHaveLength(9);
    expect(notes.damagedLines).toBe(2);
  });
});

describe("a log that somebody else made", () => {
  const begun = { kind: 0, v: { requests: [] as unknown[] } };
  const replayed = (...records: Record<string, unknown>[]): { document: unknown; damaged: number } => {
    let damaged = 0;
    const document = replay([structuredClone(begun), ...records], () => damaged++);
    return { document, damaged };
  };

  it.each([
    ["a prototype", { kind: 1, k: ["__proto__", "polluted"], v: true }],
    ["a prototype by name", { kind: 1, k: ["requests", "constructor", "prototype", "polluted"], v: true }],
    ["a prototype itself", { kind: 1, k: ["__proto__"], v: { polluted: true } }],
    ["a length", { kind: 1, k: ["requests", "length"], v: 4e9 }],
    ["a far item", { kind: 1, k: ["requests", 4e9], v: 1 }],
    ["a far end", { kind: 2, k: ["requests"], v: [1], i: 4e9 }],
    ["the document itself", { kind: 1, k: [], v: 1 }],
    ["nothing", { kind: 7 }],
  ])("cannot change %s", (_what, record) => {
    expect(replayed(record)).toEqual({ document: begun.v, damaged: 1 });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("may cut and extend a list, and remove a property", () => {
    const { document, damaged } = replayed(
      { kind: 2, k: ["requests"], v: [1, 2, 3] },
      { kind: 2, k: ["requests"], v: [4], i: 1 },
      { kind: 1, k: ["customTitle"], v: "x" },
      { kind: 3, k: ["customTitle"] },
    );
    expect({ document, damaged }).toEqual({ document: { requests: [1, 4], customTitle: undefined }, damaged: 0 });
  });
});

it("finds the chats of other editions and places", () => {
  const chat = `${JSON.stringify({ kind: 0, v: { requests: [{ message: "Hi", timestamp: 1 }] } })}\n`;
  const at = (folder: string): string => `${folder}/globalStorage/emptyWindowChatSessions/${EMPTY}.jsonl`;
  const insiders = madeHome({ [at(".config/Code - Insiders/User")]: chat });
  expect(listedIds(vscode.history, insiders)).toEqual([EMPTY]);
  const portable = madeHome({ [at("stick/user-data/User")]: chat }, { VSCODE_PORTABLE: "$HOME/stick" });
  expect(listedIds(vscode.history, portable)).toEqual([EMPTY]);
  const mac = { ...madeHome({ [at("Library/Application Support/Code/User")]: chat }), platform: "darwin" as const };
  expect(listedIds(vscode.history, mac)).toEqual([EMPTY]);
});
