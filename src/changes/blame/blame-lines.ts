/** Attributes the lines of a file, a commit or a pull request. */
import type { ChangeHunk, ChangeLine, ChangeOrigin } from "../../core/changes.ts";
import { groupBy } from "../../lib/values/group-by.ts";
import { optional } from "../../lib/values/optional.ts";
import { answer, sentenceFor, type Repository } from "../diff/repository.ts";
import { compare } from "../diff/compare.ts";
import { TIER_WORDS, type BlameRange } from "./blame-report.ts";
import { arrivalsOf } from "./arrivals.ts";
import type { Asked } from "./blame-target.ts";
import { patchesOf, type FilePatch, type History } from "./committed-lines.ts";
import { EditIndex } from "./edit-index.ts";
import { linesOf, withoutReturn } from "./edit-text.ts";
import { Evidence, isSameOrigin, NOT_KNOWN } from "./evidence.ts";
import type { RecordedEdit } from "./recorded-edits.ts";

export interface AskedEdits {
  paths: ReadonlySet<string>;
  /** No later edit can have made a line. */
  until: number;
}

/** Reads the recorded edits of some files; called once. */
export type ReadEdits = (asked: AskedEdits) => Promise<readonly RecordedEdit[]>;

export interface BlamedLines {
  ranges: BlameRange[];
  notes: string[];
}

/** A clock's tick before the first edit. */
const MARGIN_MS = 2000;
const BLAME_MS = 60_000;

export function blameLines(asked: Asked, readEdits: ReadEdits): Promise<BlamedLines> {
  return asked.kind === "file" ? blameFile(asked, readEdits) : blameCommits(asked, readEdits);
}

async function blameCommits(asked: Exclude<Asked, { kind: "file" }>, readEdits: ReadEdits): Promise<BlamedLines> {
  const { repository, base } = asked;
  const commit = asked.kind === "commit" ? asked.commit : asked.head;
  const { files, notes } = await compare(repository, { base, end: { commit }, paths: [] });
  const paths = new Set(files.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [path, oldPath])));
  const until = await timeOf(repository, commit);
  const edits = await readEdits({ paths, until });
  const index = new EditIndex(edits);
  const edited = files.filter(({ path, oldPath }) => index.file(path, oldPath) !== undefined);
  const { patches, knownSince } = await historyOf(repository, commit, edits, edited);
  const arrivals = await arrivalsOf(repository, edits);
  const ranges: BlameRange[] = [];
  for (const { path, oldPath, hunks = [] } of files) {
    const names = [path, oldPath ?? path];
    const file = edited.some((one) => one.path === path) ? await fileAt(repository, commit, path) : undefined;
    const commits = patches.filter((patch) => names.includes(patch.path) || names.includes(patch.oldPath ?? ""));
    const place = {
      path,
      until,
      commits,
      hunks,
      ...optional("oldPath", oldPath),
      ...optional("file", file),
      ...optional("knownSince", knownSince),
      ...optional("arrivals", arrivals),
    };
    const evidence = new Evidence(index, place);
    for (const { lines } of hunks) ranges.push(...rangesOf(lines, evidence.originsOf(lines), { path, commit }));
  }
  const binary = files.filter(({ isBinary }) => isBinary).length;
  if (binary > 0) notes.push(`${binary === 1 ? "A binary file has" : `${binary} binary files have`} no lines.`);
  return { ranges, notes };
}

async function historyOf(
  { git }: Repository,
  commit: string,
  edits: readonly RecordedEdit[],
  files: readonly { path: string; oldPath?: string }[],
): Promise<History> {
  const paths = [...new Set(files.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [path, oldPath])))];
  const [first] = edits;
  return first === undefined ? { patches: [] } : patchesOf(git, { commit, since: first.at - MARGIN_MS, paths });
}

/** A line, and the commit that it came with. */
interface FileLine {
  line: number;
  text: string;
  /** Undefined if it is not committed. */
  commit?: string;
  /** Its line and its file's name in that commit. */
  original: number;
  path: string;
}

async function blameFile(asked: Extract<Asked, { kind: "file" }>, readEdits: ReadEdits): Promise<BlamedLines> {
  const { repository, path, lines, mtimeMs } = asked;
  const notes: string[] = repository.isShallow
    ? ["This is a shallow clone: lines from before its first commit cannot be told apart."]
    : [];
  const blamed = await gitBlame(asked);
  const paths = new Set(blamed.map((line) => line.path));
  const edits = await readEdits({ paths, until: Date.now() });
  const index = new EditIndex(edits);
  const files = [...paths].map((name) => ({ path: name }));
  const { head } = repository;
  const { patches: history, knownSince } =
    head === undefined ? ({ patches: [] } as History) : await historyOf(repository, head, edits, files);
  if (knownSince !== undefined) notes.push("There are too many commits to compare with: older lines cannot be proved.");
  const arrivals = await arrivalsOf(repository, edits);
  const origins = new Map<number, ChangeOrigin>();
  for (const [commit, some] of groupBy(blamed, (line) => line.commit)) {
    if (commit === undefined) {
      const hunks = await uncommitted(repository, path);
      const place = {
        path,
        until: mtimeMs,
        file: lines,
        commits: history,
        hunks,
        ...optional("knownSince", knownSince),
        ...optional("arrivals", arrivals),
      };
      const evidence = new Evidence(index, place);
      addOrigins(origins, some, hunks, evidence);
      continue;
    }
    for (const patch of history.filter((one) => one.commit === commit)) {
      const own = some.filter((line) => line.path === patch.path);
      if (own.length === 0 || index.file(patch.path, patch.oldPath) === undefined) continue;
      const { at, path: name, oldPath } = patch;
      const file = await fileAt(repository, commit, name);
      const commits = earlier(history, patch);
      const place = {
        path: name,
        until: at,
        commits,
        hunks: patch.hunks,
        ...optional("oldPath", oldPath),
        ...optional("file", file),
        ...optional("knownSince", knownSince),
        ...optional("arrivals", arrivals),
      };
      addOrigins(origins, own, patch.hunks, new Evidence(index, place));
    }
  }
  return { ranges: fileRanges(path, blamed, origins), notes };
}

/** The patch and what comes before it, newest first as git lists it. */
function earlier(history: readonly FilePatch[], patch: FilePatch): FilePatch[] {
  return history.slice(history.indexOf(patch));
}

function addOrigins(
  origins: Map<number, ChangeOrigin>,
  some: readonly FileLine[],
  hunks: readonly Pick<ChangeHunk, "lines">[],
  evidence: Evidence,
): void {
  const wanted = new Map(some.map((line) => [line.original, line]));
  for (const { lines } of hunks) {
    if (!lines.some(({ kind, newLine }) => kind === "added" && wanted.has(newLine!))) continue;
    evidence.originsOf(lines).forEach((origin, at) => {
      const { kind, newLine, text } = lines[at]!;
      const line = kind === "added" ? wanted.get(newLine!) : undefined;
      if (line !== undefined && origin !== undefined && line.text === withoutReturn(text))
        origins.set(line.line, origin);
    });
  }
}

async function uncommitted(repository: Repository, path: string): Promise<ChangeHunk[]> {
  const { head } = repository;
  const base = head ?? (await emptyTree(repository));
  const { files } = await compare(repository, { base, end: "working-tree", paths: [path] });
  return files.find((file) => file.path === path)?.hunks ?? [];
}

async function emptyTree({ git }: Repository): Promise<string> {
  return (await answer(git, "hash-object", "-t", "tree", "/dev/null"))?.trim() ?? "";
}

async function gitBlame({
  repository,
  path,
  lines,
  start,
  end,
}: Extract<Asked, { kind: "file" }>): Promise<FileLine[]> {
  const all = lines
    .slice(start - 1, end)
    .map((text, index): FileLine => ({ line: start + index, text, original: start + index, path }));
  const isTracked =
    (await answer(repository.git, "--literal-pathspecs", "ls-files", "--error-unmatch", "--", path)) !== undefined;
  if (!isTracked || repository.head === undefined) return all;
  const args = ["blame", "--porcelain", "--no-textconv", "-L", `${start},${end}`, "--", path];
  let text: string;
  try {
    text = await repository.git(args, { timeoutMs: BLAME_MS, settings: { "core.quotePath": "false" } });
  } catch (error) {
    // Staged as new: no commit has it.
    if (/no such path/.test((error as { stderr?: string }).stderr ?? "")) return all;
    throw sentenceFor(error);
  }
  const found = parseBlame(text);
  return all.map((line) => ({ ...line, ...found.get(line.line) }));
}

function parseBlame(text: string): Map<number, Pick<FileLine, "commit" | "original" | "path">> {
  const names = new Map<string, string>();
  const found = new Map<number, Pick<FileLine, "commit" | "original" | "path">>();
  let current: { commit: string; original: number; line: number } | undefined;
  for (const row of text.split("\n")) {
    const header = /^([0-9a-f]{40,64}) (\d+) (\d+)/.exec(row);
    if (row.startsWith("\t")) {
      if (current === undefined) continue;
      const { commit, original, line } = current;
      const path = names.get(commit) ?? "";
      found.set(line, { original, path, ...(/^0+$/.test(commit) ? {} : { commit }) });
      current = undefined;
    } else if (header !== null) current = { commit: header[1]!, original: Number(header[2]), line: Number(header[3]) };
    else if (row.startsWith("filename ") && current !== undefined)
      names.set(current.commit, row.slice("filename ".length));
  }
  return found;
}

async function timeOf({ git }: Repository, commit: string): Promise<number> {
  return Number((await answer(git, "log", "-1", "--format=%ct", commit, "--"))?.trim()) * 1000;
}

/** Undefined if it is too large, or no text. */
async function fileAt({ git }: Repository, commit: string, path: string): Promise<string[] | undefined> {
  const text = await answer(git, "cat-file", "blob", `${commit}:${path}`);
  return text === undefined ? undefined : linesOf(text);
}

function fileRanges(
  path: string,
  lines: readonly FileLine[],
  origins: ReadonlyMap<number, ChangeOrigin>,
): BlameRange[] {
  const ranges: BlameRange[] = [];
  for (const { line, commit } of lines) {
    const origin = origins.get(line) ?? NOT_KNOWN;
    const last = ranges.at(-1);
    if (last !== undefined && last.end === line - 1 && last.commit === commit && isSameOrigin(last.origin, origin))
      last.end = line;
    else ranges.push(rangeOf(path, line, "added", commit, origin));
  }
  return ranges;
}

function rangeOf(
  path: string,
  line: number,
  change: BlameRange["change"],
  commit: string | undefined,
  origin: ChangeOrigin,
): BlameRange {
  const evidence = TIER_WORDS[origin.tier];
  return { path, start: line, end: line, change, ...(commit === undefined ? {} : { commit }), origin, evidence };
}

/** Lines that follow each other and have one origin. */
function rangesOf(
  lines: readonly ChangeLine[],
  origins: readonly (ChangeOrigin | undefined)[],
  { path, commit }: { path: string; commit: string },
): BlameRange[] {
  const ranges: BlameRange[] = [];
  lines.forEach(({ kind, oldLine, newLine }, index) => {
    const origin = origins[index];
    if (kind === "context" || origin === undefined) return;
    const line = (kind === "added" ? newLine : oldLine)!;
    const last = ranges.at(-1);
    if (last?.change === kind && last.end === line - 1 && isSameOrigin(last.origin, origin)) last.end = line;
    else ranges.push(rangeOf(path, line, kind, commit, origin));
  });
  return ranges;
}
