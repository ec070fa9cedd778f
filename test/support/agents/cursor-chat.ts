/** Chats in the real format. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AgentEnv } from "../../../src/agents/adapter.ts";
import { makeDatabase } from "./made-home.ts";
import { readSession, type ReadSession } from "./reading.ts";
import { history } from "../../../src/agents/cursor/history.ts";

/** One length-delimited protobuf field. */
export function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

/** A chat's blobs, keyed by the hash of their content. */
export class Blobs {
  readonly all = new Map<string, Buffer>();

  add(content: string | Buffer | object): Buffer {
    const bytes = Buffer.isBuffer(content)
      ? content
      : Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
    const id = createHash("sha256").update(bytes).digest();
    this.all.set(id.toString("hex"), bytes);
    return id;
  }
}

export const CHAT = ".cursor/chats/0123456789abcdef0123456789abcdef/chat-1";

/** Writes a chat whose root is `root`, and returns the path of its store. */
export function makeChat(env: AgentEnv, blobs: Blobs, root: Buffer | undefined, meta: object = {}): string {
  const latestRootBlobId = root === undefined ? undefined : blobs.add(root).toString("hex");
  const json = JSON.stringify({ agentId: "chat-1", latestRootBlobId, name: "New Agent", ...meta });
  return makeDatabase(
    join(env.home, CHAT, "store.db"),
    "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
    `INSERT INTO meta VALUES ('0', '${Buffer.from(json).toString("hex")}')`,
    ...[...blobs.all].map(([id, bytes]) => `INSERT INTO blobs VALUES ('${id}', x'${bytes.toString("hex")}')`),
  );
}

/** A chat of these messages only. */
export function chatOf(env: AgentEnv, messages: readonly object[], meta: object = {}): string {
  const blobs = new Blobs();
  return makeChat(env, blobs, Buffer.concat(messages.map((message) => field(1, blobs.add(message)))), meta);
}

export function open(env: AgentEnv, sessionId: string): ReadSession {
  return readSession(history, env, sessionId);
}
