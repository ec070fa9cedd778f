/** Shows the vault's files at their old places to everything that reads sessions. */
import { closeSync, fstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AgentEnv, History, SessionSource } from "../../agents/adapter.ts";
import { ReadNotes } from "../../agents/read-notes.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import type { FileStat } from "../../lib/fs/directory.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { isBelowFile, isGone, mountKeptFiles, withoutKeptFiles, type KeptFiles } from "../../lib/fs/kept-files.ts";
import { readAt } from "../../lib/json/jsonl.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { manifestStamp, readManifest, vaultDirectory, type VaultFile } from "./manifest.ts";
import { digestOf, Objects, PIECE_BYTES } from "./objects.ts";

/** Unpacked files are kept for the next reading, up to this size. */
const UNPACKED_BYTES = 512 * 1024 * 1024;

const mounts = new Map<string, { stamp: string; vault: MountedVault | undefined; problem?: string }>();

/** Mounts the vault as it is now. Without a vault this costs one look at a file. */
function mountVault(env: AgentEnv): { vault: MountedVault | undefined; problem?: string } {
  const directory = vaultDirectory(env);
  const stamp = manifestStamp(env) ?? "";
  const known = mounts.get(directory);
  if (known?.stamp === stamp || (known === undefined && stamp === "")) return known ?? { vault: undefined };
  const now: { stamp: string; vault: MountedVault | undefined; problem?: string } = { stamp, vault: undefined };
  try {
    const manifest = stamp === "" ? undefined : readManifest(env);
    if (manifest) now.vault = new MountedVault(directory, manifest.files);
  } catch (error) {
    now.problem = errorText(error);
  }
  mounts.set(directory, now);
  mountKeptFiles(directory, now.vault);
  return now;
}

/** Before it is asked which agents left anything here. */
export function showVault(env: AgentEnv): void {
  mountVault(env);
}

/** An agent's sessions, with those that only the vault has. */
export function listWithVault(agent: string, history: History, env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const { vault, problem } = mountVault(env);
  if (problem !== undefined) notes.skip(vaultDirectory(env), problem);
  if (vault?.hasLost(agent)) {
    const living = withoutKeptFiles(() => history.listSessions(env, new ReadNotes()));
    vault.hideMoved(agent, placesOf(living));
    for (const path of vault.blocked(agent))
      notes.skip(path, "is in the vault, but a file is in the way of its folder");
  }
  return history.listSessions(env, notes);
}

class MountedVault implements KeptFiles {
  readonly #directory: string;
  readonly #files: ReadonlyMap<string, VaultFile>;
  /** The main file of each session. */
  readonly #mains = new Map<string, VaultFile>();
  #hidden = new Set<string>();
  /** Size of the unpacked files; undefined before the first. */
  #unpackedBytes: number | undefined;
  #folders: Map<string, Map<string, boolean>> | undefined;

  constructor(directory: string, files: ReadonlyMap<string, VaultFile>) {
    this.#directory = directory;
    this.#files = files;
    for (const file of files.values())
      if (file.isMain) for (const id of file.sessions) this.#mains.set(`${file.agent}:${id}`, file);
  }

  stat(path: string): FileStat | undefined {
    const file = this.#hidden.has(path) ? undefined : this.#files.get(path);
    // With the old inode number what was read before is still known.
    return file && { path, size: file.size, mtimeMs: file.mtimeMs, ino: file.ino };
  }

  namesIn(directory: string): ReadonlyMap<string, boolean> | undefined {
    this.#folders ??= this.#tree();
    return this.#folders.get(directory);
  }

  #tree(): Map<string, Map<string, boolean>> {
    const folders = new Map<string, Map<string, boolean>>();
    const add = (path: string, isFolder: boolean): void => {
      const parent = dirname(path);
      if (parent === path) return;
      const names = folders.get(parent);
      if (names === undefined) {
        folders.set(parent, new Map([[basename(path), isFolder]]));
        add(parent, true);
      } else names.set(basename(path), isFolder);
    };
    for (const path of this.#files.keys()) if (!this.#hidden.has(path)) add(path, false);
    return folders;
  }

  contents(path: string): string {
    const file = this.#files.get(path)!;
    const directory = join(this.#directory, "read");
    const place = join(directory, digestOf(file.pieces.map(([digest]) => digest).join()));
    if (statSync(place, { throwIfNoEntry: false })?.size === file.size) return place;
    ensurePrivateDirectory(directory);
    // The folder is only looked through when it may be full: with thousands of files that takes as long as reading them.
    this.#unpackedBytes ??= makeRoom(directory, UNPACKED_BYTES);
    if (this.#unpackedBytes + file.size > UNPACKED_BYTES)
      this.#unpackedBytes = makeRoom(directory, UNPACKED_BYTES - file.size);
    new Objects(this.#directory).unpackTo(file, place);
    this.#unpackedBytes += file.size;
    return place;
  }

  /** Whether a session's main file is gone from its place. */
  hasLost(agent: string): boolean {
    for (const file of this.#files.values()) if (file.isMain && file.agent === agent && isGone(file.path)) return true;
    return false;
  }

  /** Main files that cannot be shown at their places: a folder of the path is a file now. */
  blocked(agent: string): Set<string> {
    const mains = [...this.#mains.values()].filter((file) => file.agent === agent && !this.#hidden.has(file.path));
    return new Set(mains.map(({ path }) => path).filter(isBelowFile));
  }

  /** A session that lives at another place now was moved, not deleted. */
  hideMoved(agent: string, living: ReadonlyMap<string, string>): void {
    const hidden = new Set<string>();
    const moved = new Map<string, boolean>();
    const isMoved = (id: string): boolean => {
      const known = moved.get(id) ?? hasMoved(this.#mains.get(`${agent}:${id}`), living.get(id));
      moved.set(id, known);
      return known;
    };
    for (const file of this.#files.values()) {
      if (file.agent === agent ? file.sessions.every(isMoved) : this.#hidden.has(file.path)) hidden.add(file.path);
    }
    this.#hidden = hidden;
    this.#folders = undefined;
  }
}

/** Size of the files unpacked for reading. */
export function unpackedBytes(vault: string): number {
  const directory = join(vault, "read");
  return isGone(directory) ? 0 : makeRoom(directory, Number.POSITIVE_INFINITY);
}

/** The main file of each session. */
export function placesOf(sources: readonly SessionSource[]): Map<string, string> {
  return new Map(sources.map(({ sessionId, path }) => [sessionId, path]));
}

/**
 * Whether the file at `to` is the one that was copied, at another place. Another file of the same session is not: the copy may
 * have more. A packed file has a longer name, and cannot be compared.
 */
export function hasMoved(from: VaultFile | undefined, to: string | undefined): boolean {
  if (from === undefined || to === undefined || !isGone(from.path)) return false;
  const [name, old] = [basename(to), basename(from.path)];
  return name === old ? beginsWithCopy(from, to) : name.startsWith(old);
}

/** Whether a file is as long as the copied one, and begins like it. */
function beginsWithCopy({ size, pieces: [first] }: VaultFile, path: string): boolean {
  let fd: number | undefined;
  try {
    fd = withoutKeptFiles(() => openForReading(path));
    if (fstatSync(fd).size < size) return false;
    return first === undefined || digestOf(readAt(fd, 0, Math.min(size, PIECE_BYTES))) === first[0];
  } catch {
    // Not readable, so not known to be the same: both are kept.
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Removes unpacked files, those unpacked first, until the rest is small enough. Returns the size of the rest. */
function makeRoom(directory: string, bytes: number): number {
  const names = readdirSync(directory).filter((name) => !name.endsWith(".tmp"));
  const files = names.flatMap((name) => {
    const path = join(directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? [{ path, size: stat.size, mtimeMs: stat.mtimeMs }] : [];
  });
  let total = files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (total <= bytes) break;
    rmSync(path, { force: true });
    total -= size;
  }
  return total;
}
