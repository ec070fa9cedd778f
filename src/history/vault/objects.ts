/**
 * The vault's contents: pieces of files, each compressed and named by its digest. A piece is written once, so a file that grew
 * costs only its end.
 */
import { readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { AtomicFile, syncToDisk, writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { isMissing } from "../../lib/fs/directory.ts";
import { readBytes } from "../../lib/fs/foreign-file.ts";
import { makeDirectory } from "../../lib/fs/make-directory.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import type { Manifest, Piece, VaultFile } from "./manifest.ts";

/** Bounds the memory for a file of any size. */
export const PIECE_BYTES = 4 * 1024 * 1024;
/** Pieces of nothing compressible are a little larger. */
const MAX_STORED_BYTES = 2 * PIECE_BYTES;
/** Half the size of gzip's result in less time; every supported Node reads it. */
const QUALITY = 5;

export class DamagedCopy extends Error {
  constructor(path: string, why: string) {
    super(`The copy of ${path} in the vault is damaged (${why}).`);
    this.name = "DamagedCopy";
  }
}

export class Objects {
  readonly #directory: string;
  /** Written, and perhaps not on the disk yet. */
  readonly #unsynced = new Set<string>();
  /** Digests of what was not there before. */
  readonly #put = new Set<string>();

  constructor(vault: string) {
    this.#directory = join(vault, "objects");
  }

  #pathOf(digest: string): string {
    return join(this.#directory, digest.slice(0, 2), digest);
  }

  put(bytes: Buffer): Piece {
    const digest = digestOf(bytes);
    const path = this.#pathOf(digest);
    const known = sizeAt(path);
    // A crash or a disk error may have damaged it.
    if (known !== undefined && this.#isIntact(digest)) return [digest, known];
    const { brotliCompressSync, constants } = process.getBuiltinModule("node:zlib");
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    const packed = brotliCompressSync(bytes, { params });
    makeDirectory(join(this.#directory, digest.slice(0, 2)));
    writeFileAtomic(path, packed);
    this.#unsynced.add(path);
    if (known === undefined) this.#put.add(digest);
    return [digest, packed.length];
  }

  /** Waits until what was put is on the disk: after a power failure the manifest must not name pieces that are empty. */
  async flush(): Promise<void> {
    const folders = new Set([...this.#unsynced].map((path) => dirname(path)));
    const paths = this.#unsynced.size > 0 ? [...this.#unsynced, ...folders, this.#directory] : [];
    this.#unsynced.clear();
    const yielder = new EventLoopYielder();
    for (const path of paths) {
      await yielder.yieldIfDue();
      syncToDisk(path);
    }
  }

  /** Whether all pieces are there in their full size. */
  has({ pieces }: VaultFile): boolean {
    return pieces.every(([digest, bytes]) => sizeAt(this.#pathOf(digest)) === bytes);
  }

  #isIntact(digest: string): boolean {
    try {
      this.#piece("", digest);
      return true;
    } catch (error) {
      if (error instanceof DamagedCopy) return false;
      throw error;
    }
  }

  /** Whether contents of this size and these pieces are the beginning of a copied file. Throws if the copy is damaged. */
  isBeginningOf(file: VaultFile, size: number, pieces: readonly Piece[]): boolean {
    return pieces.every(([digest], index) => {
      const [copied] = file.pieces[index] ?? [];
      if (copied === undefined || copied === digest) return copied === digest;
      const left = size - index * PIECE_BYTES;
      return left < PIECE_BYTES && digestOf(this.#piece(file.path, copied).subarray(0, left)) === digest;
    });
  }

  /** Removes the damaged pieces of a file that can be copied again. */
  discardDamaged({ pieces }: VaultFile): void {
    for (const [digest] of pieces) if (!this.#isIntact(digest)) rmSync(this.#pathOf(digest), { force: true });
  }

  /** The contents, checked piece by piece. */
  *read({ path, pieces, size }: VaultFile): Generator<Buffer> {
    let total = 0;
    for (const [digest] of pieces) {
      const bytes = this.#piece(path, digest);
      total += bytes.length;
      yield bytes;
    }
    if (total !== size) throw new DamagedCopy(path, `${total} of ${size} bytes`);
  }

  #piece(path: string, digest: string): Buffer {
    const { brotliDecompressSync } = process.getBuiltinModule("node:zlib");
    let bytes: Buffer;
    try {
      const packed = readBytes(this.#pathOf(digest), MAX_STORED_BYTES);
      bytes = brotliDecompressSync(packed, { maxOutputLength: PIECE_BYTES });
    } catch (error) {
      throw new DamagedCopy(path, isMissing(error) ? "a part is missing" : (error as Error).message);
    }
    if (digestOf(bytes) !== digest) throw new DamagedCopy(path, "a part has changed");
    return bytes;
  }

  /** Writes the contents to a new file; fails if one exists. */
  writeTo(file: VaultFile, path: string, mtimeMs: number): void {
    this.#written(file, path).commitNew();
    utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
  }

  /** Writes the contents to a file of our own. */
  unpackTo(file: VaultFile, path: string): void {
    this.#written(file, path).commit();
  }

  #written(file: VaultFile, path: string): AtomicFile {
    const written = new AtomicFile(path);
    try {
      for (const bytes of this.read(file)) written.write(bytes);
      return written;
    } catch (error) {
      written.abort();
      throw error;
    }
  }

  /**
   * Removes what no file needs. Unreadable lines may need any piece but those of the files that were in the list `before`, and
   * those put since. Only with the vault's lock.
   */
  sweep({ files, unreadable }: Pick<Manifest, "files" | "unreadable">, before: Iterable<VaultFile>): void {
    const needed = digestsOf(files.values());
    if (unreadable.length > 0) {
      for (const digest of [...digestsOf(before), ...this.#put])
        if (!needed.has(digest)) rmSync(this.#pathOf(digest), { force: true });
      return;
    }
    for (const folder of namesIn(this.#directory)) {
      for (const name of namesIn(join(this.#directory, folder))) {
        if (!needed.has(name)) rmSync(join(this.#directory, folder, name), { force: true });
      }
    }
  }
}

function digestsOf(files: Iterable<VaultFile>): Set<string> {
  return new Set([...files].flatMap(({ pieces }) => pieces.map(([digest]) => digest)));
}

/** Disks give files whole blocks. */
const BLOCK_BYTES = 4096;

/** Bytes on the disk for these files; a piece that several share counts once. */
export class StoredSize {
  readonly #uses = new Map<string, number>();
  bytes = 0;

  constructor(files: Iterable<VaultFile> = []) {
    for (const file of files) this.add(file);
  }

  add({ pieces }: VaultFile): void {
    for (const [digest, bytes] of pieces) {
      const uses = this.#uses.get(digest) ?? 0;
      if (uses === 0) this.bytes += blocksOf(bytes);
      this.#uses.set(digest, uses + 1);
    }
  }

  remove({ pieces }: VaultFile): void {
    for (const [digest, bytes] of pieces) {
      const uses = this.#uses.get(digest)! - 1;
      if (uses === 0) this.bytes -= blocksOf(bytes);
      this.#uses.set(digest, uses);
    }
  }
}

export function blocksOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

export function digestOf(bytes: string | Buffer): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex");
}

function sizeAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
