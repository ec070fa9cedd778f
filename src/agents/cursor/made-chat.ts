/** Stores made for a test, in the shape of the real ones. Used by tests only. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { AgentEnv, SessionHead, SessionReader } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { history } from "./history.ts";

const made: string[] = [];

/** For `afterAll`. */
export function removeMadeHomes(): void {
  for (const home of made.splice(0)) rmSync(home, { recursive: true, force: true });
}

export function madeHome(): AgentEnv {
  const home = mkdtempSync(join(tmpdir(), "amux-cursor-"));
  made.push(home);
  return { home, platform: "linux", vars: {} };
}

export function writeIn(env: AgentEnv, path: string, content: string | Buffer): string {
  const file = join(env.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

export function makeDatabase(env: AgentEnv, path: string, ...statements: string[]): string {
  const file = join(env.home, path);
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  for (const statement of statements) database.exec(statement);
  database.close();
  return file;
}

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

/** A chat's blobs; each is known by the hash of its content. */
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
  const path = makeDatabase(
    env,
    `${CHAT}/store.db`,
    "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
    `INSERT INTO meta VALUES ('0', '${Buffer.from(json).toString("hex")}')`,
    ...[...blobs.all].map(([id, bytes]) => `INSERT INTO blobs VALUES ('${id}', x'${bytes.toString("hex")}')`),
  );
  return path;
}

/** A chat of these messages and nothing else. */
export function chatOf(env: AgentEnv, messages: readonly object[], meta: object = {}): string {
  const blobs = new Blobs();
  return makeChat(env, blobs, Buffer.concat(messages.map((message) => field(1, blobs.add(message)))), meta);
}

export interface Opened {
  head: SessionHead;
  reader: SessionReader;
  notes: ReadNotes;
}

export function open(env: AgentEnv, sessionId: string): Opened {
  const notes = new ReadNotes();
  const source = history.listSessions(env, notes).find((candidate) => candidate.sessionId === sessionId);
  if (source === undefined) throw new Error(`${sessionId} is not listed`);
  return { head: history.summarize(source, env, notes)!, reader: history.read(source, env, notes)!, notes };
}

export function listedIds(env: AgentEnv, notes = new ReadNotes()): string[] {
  return history.listSessions(env, notes).map((source) => source.sessionId);
}
