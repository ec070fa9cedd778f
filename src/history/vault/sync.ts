/**
 * Copies session files into the vault: those that changed since the last time, newest sessions first. What is copied is in the
 * manifest only when it is complete.
 */
import { closeSync, fstatSync, readdirSync, rmSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { AgentEnv, History, SessionSource } from "../../agents/adapter.ts";
import { ReadNotes } from "../../agents/read-notes.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { presentAgent } from "../../agents/present-agent.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf, fileStat, filesBelow, isDirectoryAt, isMissing, type FileStat } from "../../lib/fs/directory.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { isGone, withoutKeptFiles } from "../../lib/fs/kept-files.ts";
import { readAt } from "../../lib/json/jsonl.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { vaultDirectory, writeManifest, type Manifest, type Piece, type VaultFile } from "./manifest.ts";
import { hasMoved, placesOf } from "./mounted-vault.ts";
import { Objects, PIECE_BYTES, StoredSize } from "./objects.ts";

export interface SyncOptions {
  /** Leaves files that changed within this time for the next sync. */
  quietMs?: number;
  onProgress?: (progress: { done: number; total: number; copiedBytes: number }) => void;
}

export interface SyncResult {
  /** Files copied, with their size before compression. */
  copied: number;
  copiedBytes: number;
  unchanged: number;
  /** Still being written; the next sync copies them. */
  changing: number;
  /** Sessions dropped because of the size limit. */
  dropped: number;
  /** Files that could not be read, with the reason. */
  failed: { path: string; reason: string }[];
}

/** Files of a session that are to be kept. */
interface Wanted extends Omit<VaultFile, "pieces" | "ino"> {
  ino: number | undefined;
}

/** Changes `manifest` and writes it. Only with the vault's lock. */
export async function syncVault(
  registry: AgentRegistry,
  env: AgentEnv,
  manifest: Manifest,
  { quietMs = 0, onProgress = () => undefined }: SyncOptions = {},
): Promise<SyncResult> {
  const result: SyncResult = { copied: 0, copiedBytes: 0, unchanged: 0, changing: 0, dropped: 0, failed: [] };
  const wanted = await wantedFiles(registry, env, manifest, result);
  const objects = new Objects(vaultDirectory(env));
  const stored = new StoredSize(manifest.files.values());
  const now = Date.now();
  const yielder = new EventLoopYielder();
  try {
    for (const [index, file] of wanted.entries()) {
      onProgress({ done: index + 1, total: wanted.length, copiedBytes: result.copiedBytes });
      await yielder.yieldIfDue();
      const known = manifest.files.get(file.path);
      if (known && isSame(known, file) && objects.has(known)) result.unchanged++;
      else if (file.sessionMs <= (manifest.dropped?.untilMs ?? 0)) continue;
      else if (file.mtimeMs > now - quietMs && file.mtimeMs <= now) result.changing++;
      else {
        await copy(file, objects, manifest, stored, result);
        dropOldest(manifest, stored, result);
      }
    }
    manifest.syncedMs = Date.now();
  } catch (error) {
    if (codeOf(error) !== "ENOSPC") throw error;
    throw new AgentMuxError("INTERNAL", "The disk is full. The vault keeps what was copied so far.");
  } finally {
    writeManifest(env, manifest);
  }
  if (manifest.unreadable.length === 0) objects.sweep(manifest.files.values());
  removeOldUnpacked(join(vaultDirectory(env), "read"));
  return result;
}

/** Newest sessions first. Forgets the old places of sessions that were moved. */
async function wantedFiles(
  registry: AgentRegistry,
  env: AgentEnv,
  manifest: Manifest,
  result: SyncResult,
): Promise<Wanted[]> {
  const wanted = new Map<string, Wanted>();
  for (const agent of registry.names()) {
    const { history, capabilities } = await presentAgent(registry, agent, env);
    // Agents with a database delete nothing from it because of its age.
    if (history === undefined || capabilities.sessionPersistence !== "file") continue;
    const notes = new ReadNotes();
    const sources = withoutKeptFiles(() => history.listSessions(env, notes));
    result.failed.push(...notes.skipped);
    withoutKeptFiles(() => sources.forEach((source) => addFiles(wanted, agent, history, source, env)));
    forgetMoved(manifest, agent, placesOf(sources));
  }
  return [...wanted.values()].sort((a, b) => b.sessionMs - a.sessionMs);
}

function addFiles(
  wanted: Map<string, Wanted>,
  agent: string,
  history: History,
  source: SessionSource,
  env: AgentEnv,
): void {
  const { sessionId, path: main, updatedMs } = source;
  if (isDatabase(main)) return;
  // A name or a price may be in a database beside the files.
  const own = source.files.filter(({ path }) => path === main || !isDatabase(path));
  for (const { path, size, mtimeMs, ino } of [...own, ...belongings(history, source, env)]) {
    const known = wanted.get(path);
    if (known?.sessions.includes(sessionId)) continue;
    const sessions = [...(known?.sessions ?? []), sessionId];
    const sessionMs = Math.max(known?.sessionMs ?? 0, updatedMs);
    wanted.set(path, { agent, sessions, isMain: path === main, path, size, mtimeMs, ino, sessionMs });
  }
}

function belongings(history: History, source: SessionSource, env: AgentEnv): FileStat[] {
  return (history.belongings?.(source, env) ?? []).flatMap((path) => {
    if (isDirectoryAt(path)) return filesBelow(path, () => true);
    return fileStat(path) ?? [];
  });
}

const DATABASE = Buffer.from("SQLite format 3\0");

function isDatabase(path: string): boolean {
  if (path.endsWith("-wal")) return true;
  let fd: number | undefined;
  try {
    fd = openForReading(path);
    return readAt(fd, 0, DATABASE.length).equals(DATABASE);
  } catch {
    // Copying it reports why it cannot be read.
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Its files at the new place are copied like any others. */
function forgetMoved(manifest: Manifest, agent: string, living: ReadonlyMap<string, string>): void {
  const moved = new Set<string>();
  for (const { agent: owner, isMain, path, sessions } of manifest.files.values()) {
    if (owner !== agent || !isMain) continue;
    for (const id of sessions) if (hasMoved(path, living.get(id))) moved.add(id);
  }
  for (const { agent: owner, sessions, path } of [...manifest.files.values()]) {
    if (owner === agent && sessions.every((id) => moved.has(id))) manifest.files.delete(path);
  }
}

/** A restored file's time can differ in the digits that cannot be set. */
function isSame(known: VaultFile, { size, mtimeMs }: Wanted): boolean {
  return known.size === size && Math.abs(known.mtimeMs - mtimeMs) < 1;
}

async function copy(
  file: Wanted,
  objects: Objects,
  manifest: Manifest,
  stored: StoredSize,
  result: SyncResult,
): Promise<void> {
  const { path } = file;
  let fd: number | undefined;
  try {
    fd = withoutKeptFiles(() => openForReading(path));
    const before = fstatSync(fd);
    const pieces = await piecesOf(fd, before.size, objects);
    if (!isUnchanged(before, fstatSync(fd)) || !isUnchanged(before, statSync(path))) {
      result.changing++;
      return;
    }
    const { size, mtimeMs, ino } = before;
    const known = manifest.files.get(path);
    if (known) stored.remove(known);
    const kept = { ...file, size, mtimeMs, ino, pieces };
    stored.add(kept);
    manifest.files.set(path, kept);
    result.copied++;
    result.copiedBytes += size;
  } catch (error) {
    if (codeOf(error) === "ENOSPC") throw error;
    if (isMissing(error)) result.changing++;
    else result.failed.push({ path, reason: (error as Error).message });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

async function piecesOf(fd: number, size: number, objects: Objects): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const yielder = new EventLoopYielder();
  for (let at = 0; at < size; at += PIECE_BYTES) {
    pieces.push(objects.put(readAt(fd, at, Math.min(PIECE_BYTES, size - at))));
    await yielder.yieldIfDue();
  }
  return pieces;
}

function isUnchanged(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino && a.dev === b.dev;
}

/** Drops whole sessions, those that changed longest ago first, until the rest fits. */
function dropOldest(manifest: Manifest, stored: StoredSize, result: SyncResult): void {
  while (stored.bytes > manifest.maxBytes && manifest.files.size > 0) {
    const files = [...manifest.files.values()];
    const oldest = files.reduce((a, b) => (b.sessionMs < a.sessionMs ? b : a));
    for (const file of files) {
      if (file.sessionMs !== oldest.sessionMs || file.agent !== oldest.agent) continue;
      manifest.files.delete(file.path);
      stored.remove(file);
    }
    result.dropped++;
    const { sessions = 0, untilMs = 0 } = manifest.dropped ?? {};
    manifest.dropped = { sessions: sessions + 1, untilMs: Math.max(untilMs, oldest.sessionMs) };
  }
}

const UNPACKED_MS = 24 * 3_600_000;

/** Files unpacked for reading, and what killed processes left of them. */
function removeOldUnpacked(directory: string): void {
  if (isGone(directory)) return;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > UNPACKED_MS) rmSync(path, { force: true });
  }
}
