/** The vault: copies of session files that outlive the agent's own clean-up. Off until it is enabled. */
import { closeSync, lstatSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { isGone, withoutKeptFiles } from "../../lib/fs/kept-files.ts";
import { makeDirectory } from "../../lib/fs/make-directory.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { readAt } from "../../lib/json/jsonl.ts";
import { acquireLock } from "../../lib/process/process-lock.ts";
import { DEFAULT_MAX_SIZE, readManifest, vaultDirectory, writeManifest, type Manifest } from "./manifest.ts";
import type { VaultFile } from "./manifest.ts";
import { unpackedBytes } from "./mounted-vault.ts";
import { DamagedCopy, digestOf, Objects, PIECE_BYTES, StoredSize } from "./objects.ts";
import { syncVault, type SyncOptions, type SyncResult } from "./sync.ts";

export interface VaultStatus {
  directory: string;
  enabled: boolean;
  maxBytes: number;
  /** In the vault, compressed, in whole blocks. */
  bytes: number;
  /** Files unpacked for reading; they do not count for the limit. */
  unpackedBytes: number;
  /** Before compression. */
  originalBytes: number;
  sessions: number;
  files: number;
  /** Sessions whose own file is gone. */
  onlyInVault: number;
  syncedAt?: Date;
  /** Sessions that did not fit. */
  dropped: number;
  /** Files whose session is larger than the limit. */
  tooLarge: number;
  /** Lines of its list that cannot be read. */
  unreadable: number;
  agents: { agent: string; sessions: number; onlyInVault: number; originalBytes: number }[];
}

export interface VaultSession {
  agent: string;
  sessionId: string;
  files: VaultFile[];
  updatedMs: number;
  isGone: boolean;
}

export type RestoredState = "restored" | "present" | "differs" | "damaged";

export interface RestoredFile {
  path: string;
  state: RestoredState;
  reason?: string;
}

export class Vault {
  readonly #env: AgentEnv;
  readonly directory: string;

  constructor(env: AgentEnv) {
    this.#env = env;
    this.directory = vaultDirectory(env);
  }

  #read(): Manifest | undefined {
    return readManifest(this.#env);
  }

  enable(maxBytes?: number): void {
    this.#change((manifest) => {
      manifest.isEnabled = true;
      manifest.maxBytes = maxBytes ?? manifest.maxBytes;
      // What did not fit may fit now.
      delete manifest.dropped;
      manifest.tooLarge.clear();
    });
  }

  /** Stops copying. What the vault has stays. */
  disable(): void {
    if (this.#read() !== undefined) this.#change((manifest) => (manifest.isEnabled = false));
  }

  /** Removes the vault with everything in it. */
  delete(): void {
    this.#locked(() => rmSync(this.directory, { recursive: true, force: true }));
  }

  async sync(registry: AgentRegistry, options: SyncOptions = {}): Promise<SyncResult> {
    const manifest = this.#read();
    if (manifest?.isEnabled !== true) throw new AgentMuxError("VALIDATION_ERROR", NOT_ENABLED);
    return this.#lockedAsync(async () => syncVault(registry, this.#env, this.#read()!, options));
  }

  status(): VaultStatus {
    const manifest = this.#read() ?? empty();
    const { files, isEnabled, maxBytes, syncedMs, dropped } = manifest;
    const sessions = this.sessions();
    const agents = new Map<string, VaultStatus["agents"][number]>();
    for (const { agent, isGone: isLost } of sessions) {
      const sum = agents.get(agent) ?? { agent, sessions: 0, onlyInVault: 0, originalBytes: 0 };
      agents.set(agent, sum);
      sum.sessions++;
      if (isLost) sum.onlyInVault++;
    }
    for (const { agent, size } of files.values()) agents.get(agent)!.originalBytes += size;
    return {
      directory: this.directory,
      enabled: isEnabled,
      maxBytes,
      bytes: new StoredSize(files.values()).bytes,
      unpackedBytes: unpackedBytes(this.directory),
      originalBytes: [...files.values()].reduce((sum, { size }) => sum + size, 0),
      sessions: sessions.length,
      files: files.size,
      onlyInVault: sessions.filter(({ isGone: isLost }) => isLost).length,
      ...(syncedMs === undefined ? {} : { syncedAt: new Date(syncedMs) }),
      dropped: dropped?.sessions ?? 0,
      tooLarge: manifest.tooLarge.size,
      unreadable: manifest.unreadable.length,
      agents: [...agents.values()],
    };
  }

  /** Newest first. */
  sessions(): VaultSession[] {
    const byId = new Map<string, VaultSession>();
    for (const file of this.#read()?.files.values() ?? []) {
      const { agent, sessionMs: updatedMs } = file;
      for (const sessionId of file.sessions) {
        const known = byId.get(`${agent}:${sessionId}`) ?? { agent, sessionId, files: [], updatedMs, isGone: false };
        byId.set(`${agent}:${sessionId}`, known);
        known.files.push(file);
        if (file.isMain && isGone(file.path)) known.isGone = true;
      }
    }
    return [...byId.values()].sort((a, b) => b.updatedMs - a.updatedMs);
  }

  /** Files whose copy is not what was copied. The next sync copies those again that the agent still has. */
  verify(onProgress: (done: number, total: number) => void = () => undefined): { path: string; reason: string }[] {
    const manifest = this.#read() ?? empty();
    const objects = new Objects(this.directory);
    const damaged = manifest.unreadable.map((line) => ({ path: line.slice(0, 200), reason: "unreadable entry" }));
    let done = 0;
    for (const file of manifest.files.values()) {
      onProgress(++done, manifest.files.size);
      try {
        for (const _ of objects.read(file));
      } catch (error) {
        damaged.push({ path: file.path, reason: (error as Error).message });
        if (!isGone(file.path)) objects.discardDamaged(file);
      }
    }
    return damaged;
  }

  /**
   * Puts files back where they were; an existing file is never changed. With `touch` they get the current time, so that the
   * agent does not delete them again at its next start.
   */
  restore(files: readonly VaultFile[], touch = false): RestoredFile[] {
    return files.map((file) => this.#restoreFile(file, touch));
  }

  #restoreFile(file: VaultFile, touch: boolean): RestoredFile {
    const { path, mtimeMs } = file;
    try {
      if (!canMakeDirectory(dirname(path)))
        return { path, state: "differs", reason: `A file is in the way of the folder ${dirname(path)}.` };
      if (isAnythingAt(path)) return { path, state: isEqual(file) ? "present" : "differs" };
      new Objects(this.directory).writeTo(file, path, touch ? Date.now() : mtimeMs);
      return { path, state: "restored" };
    } catch (error) {
      if (error instanceof DamagedCopy) return { path, state: "damaged", reason: error.message };
      // Made by another process meanwhile.
      if (codeOf(error) === "EEXIST") return { path, state: isEqual(file) ? "present" : "differs" };
      if (codeOf(error) === "ENOSPC")
        throw new AgentMuxError("INTERNAL", `The disk is full. ${path} was not restored.`);
      throw error;
    }
  }

  /** Removes sessions from the vault; a file that others share stays. */
  remove(sessions: readonly VaultSession[]): void {
    const removed = new Set(sessions.map(({ agent, sessionId }) => `${agent}:${sessionId}`));
    this.#locked(() => {
      const manifest = this.#read() ?? empty();
      const before = [...manifest.files.values()];
      for (const file of before) {
        const left = file.sessions.filter((id) => !removed.has(`${file.agent}:${id}`));
        if (left.length === 0) manifest.files.delete(file.path);
        else manifest.files.set(file.path, { ...file, sessions: left });
      }
      writeManifest(this.#env, manifest);
      new Objects(this.directory).sweep(manifest, before);
      rmSync(join(this.directory, "read"), { recursive: true, force: true });
    });
  }

  #change(change: (manifest: Manifest) => void): void {
    this.#locked(() => {
      const manifest = this.#read() ?? empty();
      change(manifest);
      writeManifest(this.#env, manifest);
    });
  }

  #lock(): { release(): void } {
    ensurePrivateDirectory(dirname(this.directory));
    const lock = acquireLock(`${this.directory}.lock`);
    if (lock === undefined)
      throw new AgentMuxError("CONFIG_LOCK_ERROR", "Another process is using the vault. Try again when it is done.");
    return lock;
  }

  #locked<T>(work: () => T): T {
    const lock = this.#lock();
    try {
      return work();
    } finally {
      lock.release();
    }
  }

  async #lockedAsync<T>(work: () => Promise<T>): Promise<T> {
    const lock = this.#lock();
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
}

const NOT_ENABLED = "The vault is not enabled. amux vault enable turns it on.";

function empty(): Manifest {
  return { isEnabled: false, maxBytes: DEFAULT_MAX_SIZE, tooLarge: new Map(), files: new Map(), unreadable: [] };
}

function canMakeDirectory(path: string): boolean {
  try {
    makeDirectory(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST" || codeOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

function isAnythingAt(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether the file at the place is the one that was copied. */
function isEqual({ path, size, pieces }: VaultFile): boolean {
  let fd: number | undefined;
  try {
    fd = withoutKeptFiles(() => openForReading(path));
    let at = 0;
    for (const [digest] of pieces) {
      const bytes = readAt(fd, at, PIECE_BYTES);
      if (digestOf(bytes) !== digest) return false;
      at += bytes.length;
    }
    return at === size && readAt(fd, at, 1).length === 0;
  } catch {
    // Not a file, or not readable: not ours to change.
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
