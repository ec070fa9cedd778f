/**
 * Maps folders under `tmp/` to directories: newer versions record the path, older ones name the folder sha256(path), which can
 * only be tested against paths found elsewhere.
 */
import { basename, dirname, isAbsolute, join } from "node:path";
import { codeOf, entriesOf } from "../../lib/fs/directory.ts";
import { asObject } from "../../lib/json/fields.ts";
import { readStart } from "../../lib/json/jsonl.ts";
import { sha256 } from "../../lib/values/sha256.ts";
import type { ReadNotes } from "../read-notes.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { foldersIn } from "./format.ts";

const HASH = /^[0-9a-f]{64}$/;

export class Projects {
  readonly #geminiDir: string;
  readonly #bySlug = new Map<string, string>();
  readonly #byHash = new Map<string, string>();
  /** Paths found since the last lookup of a hash. */
  readonly #met: string[] = [];
  readonly #candidates: readonly (string | undefined)[];
  #guessed = false;

  constructor(geminiDir: string, candidates: readonly (string | undefined)[], notes: ReadNotes) {
    this.#geminiDir = geminiDir;
    for (const [path, slug] of foldersIn(readJson(join(geminiDir, "projects.json"), notes))) {
      this.#learn(path);
      this.#bySlug.set(slug, path);
    }
    this.#candidates = candidates;
  }

  /** The directory of a folder under `tmp/`, from Gemini CLI's files; `chats` may mention it. */
  toldOf(folderName: string, chats: readonly string[]): string | undefined {
    const stated = readRoot(join(this.#geminiDir, "tmp", folderName, ".project_root"));
    if (stated !== undefined) {
      this.#learn(stated);
      return stated;
    }
    const known = this.#bySlug.get(folderName);
    if (known !== undefined || !HASH.test(folderName)) return known;
    return this.#hashed(folderName) ?? this.#search(folderName, chats);
  }

  /** The same, from the current directory. */
  guessOf(folderName: string): string | undefined {
    if (!HASH.test(folderName)) return undefined;
    return this.#candidates.find((path) => path !== undefined && isAbsolute(path) && sha256(path) === folderName);
  }

  #search(hash: string, chats: readonly string[]): string | undefined {
    if (!this.#guessed) {
      this.#guessed = true;
      for (const trusted of Object.keys(readJson(join(this.#geminiDir, "trustedFolders.json")) ?? {})) {
        this.#learn(trusted);
        for (const entry of entriesOf(trusted)) if (entry.isDirectory()) this.#learn(join(trusted, entry.name));
      }
    }
    for (const chat of chats.slice(0, MAX_SEARCHED_CHATS)) {
      const found = this.#hashed(hash);
      if (found !== undefined) return found;
      for (const path of pathsIn(chat)) this.#learn(path);
    }
    return this.#hashed(hash);
  }

  #learn(path: string): void {
    if (isAbsolute(path)) this.#met.push(path);
  }

  /** Hashes lazily: newer versions need no hashes, and the hash function is slow to load. */
  #hashed(hash: string): string | undefined {
    for (const path of this.#met.splice(0)) this.#byHash.set(sha256(path), path);
    return this.#byHash.get(hash);
  }
}

/** Where the chats of a directory are, if it has a folder. */
export function chatsDirectory(geminiDir: string, cwd: string): string | undefined {
  const slug = foldersIn(readJson(join(geminiDir, "projects.json"))).get(cwd);
  if (slug === undefined || basename(slug) !== slug || /^\.{0,2}$/.test(slug)) return undefined;
  return join(geminiDir, "tmp", slug, "chats");
}

/** Tool calls in these versions have absolute paths, so a few chats are enough. */
const MAX_SEARCHED_CHATS = 8;
const SEARCHED_BYTES = 64 * 1024;
const MAX_PATHS = 500;
/** A JSON string that is a path, and the directories the context lists. */
const PATH = /(?:"|directory: | - )(\/[^"\\\n]{1,1000})/g;

/** Absolute paths in a file, with all parent directories. */
function pathsIn(file: string): Set<string> {
  const paths = new Set<string>();
  for (const [, path] of headOf(file).matchAll(PATH)) {
    for (let above = path!; above !== dirname(above) && !paths.has(above); above = dirname(above)) paths.add(above);
    if (paths.size > MAX_PATHS) break;
  }
  return paths;
}

function headOf(file: string): string {
  try {
    return readStart(file, SEARCHED_BYTES).toString("utf8");
  } catch {
    // The session's reader reports it; this is only one of several places to look.
    return "";
  }
}

function readRoot(path: string): string | undefined {
  try {
    const root = readText(path).trim();
    return isAbsolute(root) && !root.includes("\n") ? root : undefined;
  } catch {
    // Older folders have none.
    return undefined;
  }
}

function readJson(path: string, notes?: ReadNotes): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(readText(path)));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") notes?.skip(path, "is not readable as JSON");
    return undefined;
  }
}
