/**
 * Copies session files into the vault: those that changed since the last time, newest sessions first. What is copied is in the
 * manifest only when it is complete.
 */
import { closeSync, fstatSync, lstatSync, readdirSync, rmSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { AgentEnv, History, SessionSource } from "../../agents/adapter.ts";
import { ReadNotes } from "../../agents/read-notes.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { presentAgent } from "../../agents/present-agent.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf, entriesOf, fileStat, isDirectoryAt, isMissing, type FileStat } from "../../lib/fs/directory.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { isGone, withoutKeptFiles } from "../../lib/fs/kept-files.ts";
import { readAt } from "../../lib/json/jsonl.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { vaultDirectory, writeManifest, type Manifest, type Piece, type VaultFile } from "./manifest.ts";
import { hasMoved, placesOf } from "./mounted-vault.ts";
import { blocksOf, DamagedCopy, Objects, PIECE_BYTES, StoredSize } from "./objects.ts";
import { canNeverFit, dropOldest } from "./size-limit.ts";

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
  /** Files whose session is larger than the whole vault may be, found by this sync. */
  tooLarge: string[];
  /** Files that could not be copied, with the reason. */
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
  const result: SyncResult = {
    copied: 0,
    copiedBytes: 0,
    unchanged: 0,
    changing: 0,
    dropped: 0,
    tooLarge: [],
    failed: [],
  };
  const { wanted, places } = await wantedFiles(registry, env, result);
  const objects = new Objects(vaultDirectory(env));
  const before = [...manifest.files.values()];
  const stored = new StoredSize(before);
  // The limit may be lower than last time.
  result.dropped += dropOldest(manifest, stored);
  const now = Date.now();
  const yielder = new EventLoopYielder();
  try {
    try {
      for (const [index, file] of wanted.entries()) {
        onProgress({ done: index + 1, total: wanted.length, copiedBytes: result.copiedBytes });
        await yielder.yieldIfDue();
        const known = manifest.files.get(file.path);
        if (known && isSame(known, file) && objects.has(known)) {
          // Its session may have changed, and others may share it by now.
          manifest.files.set(file.path, { ...known, ...belongingOf(file, known) });
          result.unchanged++;
        } else if (isLeftOut(manifest, file)) continue;
        else if (file.mtimeMs > now - quietMs && file.mtimeMs <= now) result.changing++;
        else {
          await copy(file, objects, manifest, stored, result);
          result.dropped += dropOldest(manifest, stored);
        }
      }
    } finally {
      await objects.flush();
    }
    forgetMoved(manifest, places);
    for (const path of manifest.tooLarge.keys()) if (isGone(path)) manifest.tooLarge.delete(path);
    manifest.syncedMs = Date.now();
  } catch (error) {
    if (codeOf(error) !== "ENOSPC") throw error;
    throw new AgentMuxError("INTERNAL", "The disk is full. The vault keeps what was copied so far.");
  } finally {
    writeManifest(env, manifest);
  }
  objects.sweep(manifest, before);
  removeOldUnpacked(join(vaultDirectory(env), "read"));
  return result;
}

/** It was dropped because of its age, or it was too large before. */
function isLeftOut({ dropped, tooLarge }: Manifest, { path, size, sessionMs }: Wanted): boolean {
  return sessionMs <= (dropped?.untilMs ?? 0) || size >= (tooLarge.get(path) ?? Number.POSITIVE_INFINITY);
}

/** Newest sessions first, and where each agent's sessions are now. */
async function wantedFiles(
  registry: AgentRegistry,
  env: AgentEnv,
  result: SyncResult,
): Promise<{ wanted: Wanted[]; places: Map<string, ReadonlyMap<string, string>> }> {
  const wanted = new Map<string, Wanted>();
  const places = new Map<string, ReadonlyMap<string, string>>();
  for (const agent of registry.names()) {
    try {
      const { history, capabilities } = await presentAgent(registry, agent, env);
      // Agents with a database delete nothing from it because of its age.
      if (history === undefined || capabilities.sessionPersistence !== "file") continue;
      const notes = new ReadNotes();
      const sources = withoutKeptFiles(() => history.listSessions(env, notes));
      result.failed.push(...notes.skipped);
      withoutKeptFiles(() => sources.forEach((source) => addFiles(wanted, agent, history, source, env)));
      places.set(agent, placesOf(sources));
    } catch (error) {
      // A plug-in's fault costs only its own sessions.
      result.failed.push({ path: agent, reason: `its sessions cannot be listed: ${errorText(error)}` });
    }
  }
  return { wanted: [...wanted.values()].sort((a, b) => b.sessionMs - a.sessionMs), places };
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
    if (isLink(path)) return [];
    return isDirectoryAt(path) ? ownFilesBelow(path, 0) : (fileStat(path) ?? []);
  });
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Most belongings do not exist.
    return false;
  }
}

/** Deeper than any agent's folders. */
const MAX_DEPTH = 12;

/** Links are left out: what they lead to belongs to something else. */
function ownFilesBelow(directory: string, depth: number): FileStat[] {
  return entriesOf(directory).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return depth < MAX_DEPTH ? ownFilesBelow(path, depth + 1) : [];
    return entry.isFile() ? (fileStat(path) ?? []) : [];
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

/** Removes the old places of sessions whose new ones were copied. */
function forgetMoved(manifest: Manifest, places: ReadonlyMap<string, ReadonlyMap<string, string>>): void {
  const moved = new Set<string>();
  for (const file of manifest.files.values()) {
    if (!file.isMain) continue;
    for (const id of file.sessions) {
      const place = places.get(file.agent)?.get(id);
      if (place !== undefined && manifest.files.has(place) && hasMoved(file, place)) moved.add(`${file.agent}:${id}`);
    }
  }
  const copies = new Map<string, number>();
  for (const file of manifest.files.values()) copies.set(contentOf(file), (copies.get(contentOf(file)) ?? 0) + 1);
  for (const file of [...manifest.files.values()]) {
    const { agent, sessions, path, isMain } = file;
    const isOld = sessions.every((id) => moved.has(`${agent}:${id}`) && places.get(agent)?.get(id) !== path);
    const left = copies.get(contentOf(file))!;
    // What belongs to a session may have been deleted, not moved with it.
    if (!isOld || !isGone(path) || (!isMain && left === 1)) continue;
    copies.set(contentOf(file), left - 1);
    manifest.files.delete(path);
  }
}

function contentOf({ pieces }: VaultFile): string {
  return pieces.map(([digest]) => digest).join();
}

/** Sessions that the agent no longer has may share a file, too. */
function belongingOf(
  { sessions, sessionMs, isMain }: Wanted,
  known: VaultFile | undefined,
): Pick<VaultFile, "sessions" | "sessionMs" | "isMain"> {
  return { sessions: [...new Set([...sessions, ...(known?.sessions ?? [])])], sessionMs, isMain };
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
    const known = manifest.files.get(path);
    if (known && hasOnlyZeros(fd, before.size)) {
      result.unchanged++;
      return;
    }
    const pieces = await piecesOf(fd, before.size, objects);
    if (!isUnchanged(before, fstatSync(fd)) || !isUnchanged(before, statSync(path))) {
      result.changing++;
      return;
    }
    const { size, mtimeMs, ino } = before;
    // A crash or a full disk cuts files; the agent has lost what the copy has.
    if (known && size < known.size && isCut(known, size, pieces, objects)) {
      result.unchanged++;
      return;
    }
    const kept = { ...file, ...belongingOf(file, known), size, mtimeMs, ino, pieces };
    const total = pieces.reduce((sum, [, bytes]) => sum + blocksOf(bytes), stored.bytes);
    if (total > manifest.maxBytes && canNeverFit(manifest, kept)) {
      manifest.tooLarge.set(path, size);
      result.tooLarge.push(path);
      return;
    }
    manifest.tooLarge.delete(path);
    if (known) stored.remove(known);
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

/** What a crash leaves of a file whose contents were not on the disk yet. */
function hasOnlyZeros(fd: number, size: number): boolean {
  for (let at = 0; at < size; at += PIECE_BYTES) {
    // Hardly any other file begins with a zero.
    if (at === 0 && readAt(fd, 0, 1)[0] !== 0) return false;
    if (!readAt(fd, at, PIECE_BYTES).every((byte) => byte === 0)) return false;
  }
  return size > 0;
}

function isCut(known: VaultFile, size: number, pieces: readonly Piece[], objects: Objects): boolean {
  try {
    return objects.isBeginningOf(known, size, pieces);
  } catch (error) {
    if (error instanceof DamagedCopy) return false;
    throw error;
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
