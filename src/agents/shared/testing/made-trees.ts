/** For tests: hand-made sessions, and homes to put them in. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { Json } from "../../../lib/fields.ts";
import type { AgentEnv } from "../../adapter.ts";

/** All times are minutes after this. */
const START = Date.parse("2026-11-15T10:00:00.000Z");

export function at(minute: number): string {
  return new Date(START + minute * 60_000).toISOString();
}

export function header(id: string, more: Json = {}): Json {
  return { type: "session", version: 3, id, timestamp: at(0), cwd: "/home/user/dev/shop-cli", ...more };
}

export function entry(type: string, id: string, parentId: string | null, minute: number, more: Json = {}): Json {
  return { type, id, parentId, timestamp: at(minute), ...more };
}

export function user(id: string, parentId: string | null, minute: number, text: string): Json {
  const message = { role: "user", content: [{ type: "text", text }], timestamp: Date.parse(at(minute)) };
  return entry("message", id, parentId, minute, { message });
}

/** An answer of `output` tokens for 10 of input and one cent for each 100 of output. */
export function answer(
  id: string,
  parentId: string,
  minute: number,
  text: string,
  output: number,
  more: Json = {},
): Json {
  const message = {
    role: "assistant",
    content: text === "" ? [] : [{ type: "text", text }],
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: {
      input: 10,
      output,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 10 + output,
      cost: { total: output / 10_000 },
    },
    stopReason: "stop",
    timestamp: Date.parse(at(minute)),
    ...more,
  };
  return entry("message", id, parentId, minute, { message });
}

export function toolResult(id: string, parentId: string, minute: number, callId: string, more: Json = {}): Json {
  const content = [{ type: "text", text: `result of ${callId}` }];
  const message = { role: "toolResult", toolCallId: callId, toolName: "bash", content, isError: false, ...more };
  return entry("message", id, parentId, minute, { message });
}

export function lines(records: readonly Json[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** A home that exists until the test file ends, with these files in it. */
export function madeHome(files: Record<string, string | Uint8Array>, vars: Record<string, string> = {}): AgentEnv {
  const home = mkdtempSync(join(tmpdir(), "amux-tree-"));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const inHome = Object.entries(vars).map(([name, value]) => [name, value.replace("$HOME", home)]);
  return { home, platform: "linux", vars: Object.fromEntries(inHome) as Record<string, string> };
}
