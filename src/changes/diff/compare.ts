/** Compares two states of a repository, file by file and hunk by hunk, within limits. */
import { join } from "node:path";
import type { ChangedFile } from "../../core/changes.ts";
import { ProgramFailed } from "../../lib/process/ask-program.ts";
import { optional } from "../../lib/values/optional.ts";
import type { LookingGit } from "../../status/untrusted-git.ts";
import { withoutRoom } from "./choose-hunks.ts";
import { parseNumstat, parsePatches, parseRaw } from "./parse-diff.ts";
import { sentenceFor, type Repository } from "./repository.ts";
import { DIFF_MS, MAX_FILE_BYTES, unfollowedStat, untrackedIn, withUntracked, type Untracked } from "./untracked.ts";

/** A commit and a commit, the index, or the working tree with its untracked files. */
export interface Comparison {
  base: string;
  end: "working-tree" | "index" | { commit: string };
  /** Relative to the root. Empty: everything. */
  paths: readonly string[];
  /** Only these files, by their present or former path. */
  only?: ReadonlySet<string>;
  /** Lines are only counted. */
  isSummary?: boolean;
}

export interface Compared {
  files: ChangedFile[];
  notes: string[];
}

const SETTINGS = {
  "core.bigFileThreshold": String(MAX_FILE_BYTES),
  "diff.suppressBlankEmpty": "false",
  "diff.noprefix": "false",
  "diff.mnemonicPrefix": "false",
};

const DIFF = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=all",
  "--no-relative",
  "-O/dev/null",
];
const DETAILS = ["-M", "--raw", "-z", "--no-abbrev"];
const PATCH = ["-p", "-U3", "--inter-hunk-context=0"];

export async function compare(repository: Repository, comparison: Comparison): Promise<Compared> {
  try {
    const untracked = comparison.end === "working-tree" ? await untrackedIn(repository) : NO_FILES;
    return await withUntracked(repository, untracked.included, (indexFile) => {
      const git: LookingGit = (args) =>
        repository.git(["--literal-pathspecs", ...args], {
          timeoutMs: DIFF_MS,
          settings: SETTINGS,
          ...optional("indexFile", indexFile),
        });
      return compareWith(git, repository, comparison, untracked);
    });
  } catch (error) {
    throw sentenceFor(error);
  }
}

const NO_FILES: Untracked = { included: [], tooLarge: [], notes: [] };

async function compareWith(
  git: LookingGit,
  { root }: Repository,
  { base, end, paths, only, isSummary = false }: Comparison,
  { included, tooLarge, notes }: Untracked,
): Promise<Compared> {
  const sides = typeof end === "object" ? [base, end.commit] : end === "index" ? ["--cached", base] : [base];
  const diff = (what: readonly string[], names: readonly string[]): Promise<string> =>
    git(["diff", ...DIFF, ...what, ...sides, "--", ...names]);
  const isWanted = (path: string, oldPath = path): boolean =>
    (paths.length === 0 || paths.some((each) => isAtOrBelow(path, each))) &&
    (only === undefined || only.has(path) || only.has(oldPath));
  const large = largeOnes(tooLarge.filter((path) => isWanted(path)));
  let names: string[] = [];
  if (paths.length > 0 || only !== undefined) {
    const wanted = parseRaw(await diff(DETAILS, [])).entries.filter(({ path, oldPath }) => isWanted(path, oldPath));
    if (wanted.length === 0) return { files: large, notes: [...notes] };
    names = namesOf(wanted);
  }
  const summary = await counted(diff, names);
  const found = isSummary ? summary : await withinLimits(diff, names, summary.files);
  const isNew = new Set(included);
  const files = found.files
    .filter(({ path, oldPath }) => isWanted(path, oldPath))
    .map((file): ChangedFile =>
      isNew.has(file.path) && file.state === "added" ? { ...file, state: "untracked" } : file,
    )
    .map((file) => (file.isBinary ? { ...file, omitted: whyNoLines(join(root, file.path)) } : file));
  return {
    files: [...files, ...large].sort((a, b) => (a.path < b.path ? -1 : 1)),
    notes: [...notes, ...found.notes],
  };
}

type Diff = (what: readonly string[], names: readonly string[]) => Promise<string>;

/** A renamed file is followed only if its former name is compared too. */
function namesOf(files: readonly Pick<ChangedFile, "path" | "oldPath">[]): string[] {
  return files.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [path, oldPath]));
}

/** git is asked only for lines that an answer has room for. */
async function withinLimits(diff: Diff, names: readonly string[], files: readonly ChangedFile[]): Promise<Compared> {
  const reasons = withoutRoom(files);
  if (reasons.size === 0) return detailed(diff, names);
  const fitting = files.filter(({ path }) => !reasons.has(path));
  const omitted = files.filter(({ path }) => reasons.has(path));
  const found = fitting.length === 0 ? { files: [], notes: [] } : await detailed(diff, namesOf(fitting));
  return {
    files: [...found.files, ...omitted.map((file) => ({ ...file, omitted: reasons.get(file.path)! }))],
    notes: found.notes,
  };
}

async function detailed(diff: Diff, names: readonly string[]): Promise<Compared> {
  try {
    const { entries, rest } = parseRaw(await diff([...DETAILS, ...PATCH], names));
    return { files: parsePatches(entries, rest), notes: [] };
  } catch (error) {
    if (!(error instanceof ProgramFailed) || error.kind !== "endless") throw error;
    const { files } = await counted(diff, names);
    const omitted = "Too much changed to show all lines at once. Ask for this file alone.";
    return { files: files.map((file) => ({ ...file, omitted })), notes: [TOO_MUCH] };
  }
}

const TOO_MUCH = "Too much changed to show all lines at once. Ask for one file at a time.";

async function counted(diff: Diff, names: readonly string[]): Promise<Compared> {
  const { entries, rest } = parseRaw(await diff([...DETAILS, "--numstat"], names));
  const counts = parseNumstat(rest);
  const files = entries.map(({ path, oldPath, state }, at) => ({
    path,
    ...optional("oldPath", oldPath),
    state,
    ...(counts[at] ?? { added: 0, removed: 0, isBinary: false }),
  }));
  return { files, notes: [] };
}

function largeOnes(paths: readonly string[]): ChangedFile[] {
  return paths.map((path) => ({ path, state: "untracked", isBinary: true, added: 0, removed: 0, omitted: TOO_LARGE }));
}

const TOO_LARGE = `Larger than ${MAX_FILE_BYTES / 1024 / 1024} MB: its lines are not shown.`;

function whyNoLines(path: string): string {
  return (unfollowedStat(path)?.size ?? 0) > MAX_FILE_BYTES ? TOO_LARGE : "Not text: its lines are not shown.";
}

function isAtOrBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`) || place === "" || place === ".";
}
