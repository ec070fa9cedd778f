/** What commits did to files, line by line: a line that a commit took away since was not left by the edit that wrote it. */
import type { ChangeHunk } from "../../core/changes.ts";
import { ProgramFailed } from "../../lib/process/ask-program.ts";
import type { LookingGit } from "../../status/untrusted-git.ts";
import { hunksOf } from "../diff/parse-diff.ts";
import { sentenceFor } from "../diff/repository.ts";
import { withoutReturn } from "./edit-text.ts";
import type { CommittedLines } from "./evidence.ts";

export interface FilePatch extends CommittedLines {
  path: string;
  oldPath?: string;
  hunks: ChangeHunk[];
}

export interface History {
  /** Newest first. */
  patches: FilePatch[];
  /** Set if there were too many: nothing is known of commits before that time. */
  knownSince?: number;
}

export interface HistoryQuery {
  /** The newest commit. */
  commit: string;
  /** Only commits since then, in milliseconds. */
  since: number;
  /** Relative to the root, with former names. */
  paths: readonly string[];
  /** Lines of context. */
  context?: number;
}

/** More are a mirror's history, not a session's. */
const MAX_COMMITS = 2000;
const LOG_MS = 60_000;
const LOG = [
  "--format=%x01%H %ct %P",
  `-n${MAX_COMMITS}`,
  "-p",
  "-M",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--diff-merges=first-parent",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=all",
  "--no-relative",
];
const SETTINGS = {
  "core.quotePath": "false",
  "diff.noprefix": "false",
  "diff.mnemonicPrefix": "false",
  "diff.suppressBlankEmpty": "false",
  "log.showRoot": "true",
};

export async function patchesOf(
  git: LookingGit,
  { commit, since, paths, context = 3 }: HistoryQuery,
): Promise<History> {
  if (paths.length === 0) return { patches: [] };
  const which = [`-U${context}`, `--since=${new Date(since).toISOString()}`, commit, "--", ...paths];
  try {
    const args = ["--literal-pathspecs", "log", ...LOG, ...which];
    return parseLog(await git(args, { timeoutMs: LOG_MS, settings: SETTINGS }));
  } catch (error) {
    if (error instanceof ProgramFailed && error.kind === "endless") return { patches: [], knownSince: Infinity };
    throw sentenceFor(error);
  }
}

/** Each commit begins with a control character, each line of a file with its sign. */
function parseLog(text: string): History {
  let [commits, oldest] = [0, Infinity];
  const patches = `\n${text}`.split("\n\u0001").flatMap((part) => {
    const end = part.indexOf("\n");
    const [, commit, seconds, parents] =
      /^([0-9a-f]{40,64}) (\d+)((?: [0-9a-f]+)*) ?$/.exec(end === -1 ? part : part.slice(0, end)) ?? [];
    if (commit === undefined) return [];
    const facts = { commit, at: Number(seconds) * 1000, isMerge: parents!.trim().includes(" ") };
    commits++;
    oldest = Math.min(oldest, facts.at);
    return part
      .slice(end)
      .split("\ndiff --git ")
      .slice(1)
      .flatMap((patch) => filePatch(facts, patch));
  });
  return commits < MAX_COMMITS ? { patches } : { patches, knownSince: oldest };
}

function filePatch(facts: Pick<FilePatch, "commit" | "at" | "isMerge">, patch: string): FilePatch[] {
  const first = patch.indexOf("\n@@ ");
  const head = first === -1 ? patch : patch.slice(0, first);
  const [oldPath, path] = [
    nameIn(head, /^(?:rename from |--- a\/)(.+)$/m),
    nameIn(head, /^(?:rename to |\+\+\+ b\/)(.+)$/m),
  ];
  const name = path ?? oldPath;
  if (name === undefined) return [];
  const hunks = hunksOf(name, patch);
  const texts = (kind: "added" | "removed"): Set<string> =>
    new Set(
      hunks.flatMap(({ lines }) => lines.filter((line) => line.kind === kind).map(({ text }) => withoutReturn(text))),
    );
  const moved = oldPath === undefined || oldPath === name ? {} : { oldPath };
  return [{ ...facts, path: name, ...moved, hunks, added: texts("added"), removed: texts("removed") }];
}

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", '"': '"', "\\": "\\" };

/** git quotes names with control characters, quotes and backslashes. */
function nameIn(head: string, pattern: RegExp): string | undefined {
  const quoted = head.replaceAll(
    /^((?:rename (?:from|to)|---|\+\+\+) )"(.*)"$/gm,
    (_, sign: string, name: string) =>
      `${sign}${name.replaceAll(/\\([tnr"\\])/g, (_all, letter: string) => ESCAPES[letter]!)}`,
  );
  return pattern.exec(quoted)?.[1]?.replace(/\t$/, "");
}
