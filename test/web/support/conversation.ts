/** Conversations that no recording has. */
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const asked = (content: unknown): object => ({ role: "user", content });
export const replied = (block: object): object => ({
  role: "assistant",
  id: `msg_${randomUUID()}`,
  model: "claude-opus-5-5",
  content: [block],
  usage: {},
});

export function writeConversation(
  home: string,
  sessionId: string,
  cwd: string,
  messages: readonly object[],
  startedMs = Date.UTC(2026, 0, 1),
): void {
  const directory = join(home, ".claude/projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(directory, { recursive: true });
  let parentUuid: string | null = null;
  const lines = messages.map((message, index) => {
    const uuid = randomUUID();
    const timestamp = new Date(startedMs + index * 1000).toISOString();
    const type = "id" in message ? "assistant" : "user";
    const line = { parentUuid, uuid, sessionId, cwd, timestamp, isSidechain: false, version: "2.0.0", type, message };
    parentUuid = uuid;
    return JSON.stringify(line);
  });
  writeFileSync(join(directory, `${sessionId}.jsonl`), `${lines.join("\n")}\n`);
}

/** As Pi writes it: alternating prompts and answers. */
export function writePiConversation(home: string, sessionId: string, cwd: string, texts: readonly string[]): void {
  const directory = join(home, ".pi/agent/sessions", `--${cwd.slice(1).replaceAll("/", "-")}--`);
  mkdirSync(directory, { recursive: true });
  const timestamp = "2026-01-02T10:00:00.000Z";
  const entries = texts.map((text, index) => ({
    type: "message",
    id: `entry-${index}`,
    parentId: index === 0 ? null : `entry-${index - 1}`,
    timestamp,
    message: { role: index % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text }] },
  }));
  const header = { type: "session", version: 3, id: sessionId, timestamp, cwd };
  const lines = [header, ...entries].map((line) => JSON.stringify(line));
  writeFileSync(join(directory, `2026-01-02T10-00-00-000Z_${sessionId}.jsonl`), `${lines.join("\n")}\n`);
}
