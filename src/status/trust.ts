/**
 * Which projects' programs the user lets amux run: `trust.json` in amux's home. Trust covers a directory and the exact content of
 * the files that would run; a change needs a new confirmation.
 */
import { dirname, isAbsolute, join, resolve } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf, isMissing } from "../lib/fs/directory.ts";
import { asArray, asObject, asText } from "../lib/json/fields.ts";
import { MAX_DOCUMENT_BYTES, readBytes, readText } from "../lib/fs/foreign-file.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { sha256 } from "../lib/values/sha256.ts";

/** Programs of a directory that amux would run. */
export interface ProjectPrograms {
  directory: string;
  /** Programs as the project names them. */
  runs: readonly string[];
  /** Absolute paths of everything that decides what runs: the settings and the programs. */
  files: readonly string[];
}

export interface TrustEntry {
  directory: string;
  digest: string;
  runs: string[];
  /** ISO 8601. */
  since: string;
}

const PATIENCE_MS = 2000;

export class TrustFile {
  readonly #path: string;

  constructor(home: string) {
    this.#path = join(home, "trust.json");
  }

  list(): TrustEntry[] {
    let fields;
    try {
      fields = asObject(asObject(JSON.parse(readText(this.#path)))?.["directories"]);
    } catch (error) {
      if (isMissing(error)) return [];
      throw new AgentMuxError("CONFIG_ERROR", `${this.#path} cannot be read (${codeOf(error)}).`, { cause: error });
    }
    return Object.entries(fields ?? {}).flatMap(([directory, value]): TrustEntry[] => {
      const entry = asObject(value);
      const digest = asText(entry?.["digest"]);
      const runs = (asArray(entry?.["runs"]) ?? []).flatMap((name) => asText(name) ?? []);
      return digest === undefined ? [] : [{ directory, digest, runs, since: asText(entry?.["since"]) ?? "" }];
    });
  }

  /** `changed`: it was trusted, but something has changed since. */
  verdict(programs: ProjectPrograms): "trusted" | "changed" | "unknown" {
    const entry = this.list().find(({ directory }) => directory === programs.directory);
    if (entry === undefined) return "unknown";
    return entry.digest === digestOf(programs) ? "trusted" : "changed";
  }

  trust(programs: ProjectPrograms, now: Date): TrustEntry {
    const entry = {
      directory: programs.directory,
      digest: digestOf(programs),
      runs: [...programs.runs],
      since: now.toISOString(),
    };
    this.#change((entries) => [...entries.filter(({ directory }) => directory !== entry.directory), entry]);
    return entry;
  }

  /** False if it was not trusted. */
  remove(directory: string): boolean {
    let isKnown = false;
    this.#change((entries) => {
      isKnown = entries.some((entry) => entry.directory === directory);
      return entries.filter((entry) => entry.directory !== directory);
    });
    return isKnown;
  }

  #change(change: (entries: TrustEntry[]) => TrustEntry[]): void {
    ensurePrivateDirectory(dirname(this.#path));
    const done = withLock(`${this.#path}.lock`, PATIENCE_MS, () => {
      const directories = Object.fromEntries(change(this.list()).map(({ directory, ...rest }) => [directory, rest]));
      writeFileAtomic(this.#path, `${JSON.stringify({ version: 1, directories }, null, 2)}\n`);
    });
    if (done === undefined)
      throw new AgentMuxError("CONFIG_LOCK_ERROR", `Another process is writing ${this.#path}; try again.`, {
        recoverable: true,
      });
  }
}

/** Path of a program named in settings; a bare name is also a file of the project. */
export function programPath(projectDirectory: string, name: string): string {
  return isAbsolute(name) ? name : resolve(projectDirectory, name);
}

function digestOf({ files }: ProjectPrograms): string {
  return sha256(files.map((path) => `${path}\0${contentOf(path)}\0`).join(""));
}

/** A missing program runs nothing; when it appears, that is a change. */
function contentOf(path: string): string {
  try {
    return sha256(readBytes(path, MAX_DOCUMENT_BYTES).toString("latin1"));
  } catch (error) {
    return `cannot be read: ${codeOf(error)}`;
  }
}
