/** What commits did to files, line by line: a line that a commit took away since was not left by the edit that wrote it. */
import type { ChangeHunk } from "../../core/changes.ts";
import type { LookingGit } from "../../status/untrusted-git.ts";
import { hunksOf } from "../diff/parse-diff.ts";
import { sentenceFor } from "../diff/repository.ts";
import { withoutReturn } from "./edit-text.ts";
import type { CommittedLines } from "./evidence.ts";

export interface FilePatch extends CommittedLines {
  commit: string;
  path: string;
  oldPath?: string;
  hunks: ChangeHunk[];
}

export interface HistoryQuery {
  /** The newest commit. */
  commit: string;
  /** Only commits since then, in milliseconds. */
  since: number;
  /** Relative to the root, with former names. */
  paths: readonly string[];
}

const LOG_MS = 60_000;
const LOG = [
  "--format=%x01%H %ct",
  "-p",
  "-U3",
  "-M",
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

/** Newest first. */
export async function patchesOf(git: LookingGit, { commit, since, paths }: HistoryQuery): Promise<FilePatch[]> {
  if (paths.length === 0) return [];
  const from = `--since=${new Date(since).toISOString()}`;
  try {
    const text = await git(["--literal-pathspecs", "log", ...LOG, from, commit, "--", ...paths], {
      timeoutMs: LOG_MS,
      settings: SETTINGS,
    });
    return parseLog(text);
  } catch (error) {
    throw sentenceFor(error);
  }
}

/** Each commit begins with a control character, each line of a file with its sign. */
function parseLog(text: string): FilePatch[] {
  return `\n${text}`.split("\n\u0001").flatMap((part) => {
    const end = part.indexOf("\n");
    const [, commit, seconds] = /^([0-9a-f]{40,64}) (\d+)$/.exec(end === -1 ? part : part.slice(0, end)) ?? [];
    if (commit === undefined) return [];
    const patches = part.slice(end).split("\ndiff --git ").slice(1);
    return patches.flatMap((patch) => filePatch(commit, Number(seconds) * 1000, patch));
  });
}

function filePatch(commit: string, at: number, patch: string): FilePatch[] {
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
  return [{ commit, at, path: name, ...moved, hunks, added: texts("added"), removed: texts("removed") }];
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
