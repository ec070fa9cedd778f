/**
 * Which projects' programs the user lets amux run: `trust.json` in amux's home. Trust covers a directory and the exact content of
 * the files that would run; a change needs a new confirmation.
 */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf, isMissing } from "../lib/fs/directory.ts";
import { asArray, asObject, asText } from "../lib/json/fields.ts";
import { MAX_DOCUMENT_BYTES, readBytes, readText } from "../lib/fs/foreign-file.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { sha256 } from "../lib/values/sha256.ts";

/** What programs are for: a project's tasks, the set-up of its worktrees, or an agent for amux. Each is trusted by itself. */
export type TrustUse = "tasks" | "worktree" | "plugin";

/** Programs of a directory that amux would run. */
export interface ProjectPrograms {
  /** Of a plug-in: its path. */
  directory: string;
  use: TrustUse;
  /** Checkout that the files are in, if the same content in another checkout of the repository is as good. */
  base?: string;
  /** Programs as the project names them. */
  runs: readonly string[];
  /** Absolute paths of everything that decides what runs: the settings and the programs. */
  files: readonly string[];
  /** Files that were read already; the others are read to compare them. */
  contents?: ReadonlyMap<string, Buffer>;
}

export interface TrustEntry {
  directory: string;
  use: TrustUse;
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
      fields = asObject(JSON.parse(readText(this.#path)));
    } catch (error) {
      if (isMissing(error)) return [];
      throw new AgentMuxError("CONFIG_ERROR", `${this.#path} cannot be read (${codeOf(error)}).`, { cause: error });
    }
    return USES.flatMap((use) => entriesIn(fields?.[KEY_OF[use]], use));
  }

  /** `changed`: it was trusted, but something has changed since. */
  verdict(programs: ProjectPrograms): "trusted" | "changed" | "unknown" {
    const entry = this.list().find(({ directory, use }) => directory === programs.directory && use === programs.use);
    if (entry === undefined) return "unknown";
    return entry.digest === digestOf(programs) ? "trusted" : "changed";
  }

  trust(programs: ProjectPrograms, now: Date): TrustEntry {
    const { directory, use, runs } = programs;
    const entry = { directory, use, digest: digestOf(programs), runs: [...runs], since: now.toISOString() };
    this.#change((entries) => [
      ...entries.filter((other) => other.directory !== directory || other.use !== use),
      entry,
    ]);
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
      const entries = change(this.list());
      const of = (wanted: TrustUse): object =>
        Object.fromEntries(
          entries.filter(({ use }) => use === wanted).map(({ directory, use: _, ...rest }) => [directory, rest]),
        );
      const content = { version: 1, ...Object.fromEntries(USES.map((use) => [KEY_OF[use], of(use)])) };
      writeFileAtomic(this.#path, `${JSON.stringify(content, null, 2)}\n`);
    });
    if (done === undefined)
      throw new AgentMuxError("CONFIG_LOCK_ERROR", `Another process is writing ${this.#path}; try again.`, {
        recoverable: true,
      });
  }
}

/** Names in the file; tasks came first. */
const KEY_OF: Readonly<Record<TrustUse, string>> = {
  tasks: "directories",
  worktree: "worktrees",
  plugin: "plugins",
};
const USES = Object.keys(KEY_OF) as TrustUse[];

function entriesIn(value: unknown, use: TrustUse): TrustEntry[] {
  return Object.entries(asObject(value) ?? {}).flatMap(([directory, fields]): TrustEntry[] => {
    const entry = asObject(fields);
    const digest = asText(entry?.["digest"]);
    const runs = (asArray(entry?.["runs"]) ?? []).flatMap((name) => asText(name) ?? []);
    return digest === undefined ? [] : [{ directory, use, digest, runs, since: asText(entry?.["since"]) ?? "" }];
  });
}

/** Path of a program named in settings; a bare name is also a file of the project. */
export function programPath(projectDirectory: string, name: string): string {
  return isAbsolute(name) ? name : resolve(projectDirectory, name);
}

function digestOf({ files, base, contents }: ProjectPrograms): string {
  const named = (path: string): string => (base === undefined ? path : relative(base, path));
  return sha256(files.map((path) => `${named(path)}\0${contentOf(path, contents?.get(path))}\0`).join(""));
}

/** A missing program runs nothing; when it appears, that is a change. */
function contentOf(path: string, content?: Buffer): string {
  try {
    return sha256((content ?? readBytes(path, MAX_DOCUMENT_BYTES)).toString("latin1"));
  } catch (error) {
    return `cannot be read: ${codeOf(error)}`;
  }
}
