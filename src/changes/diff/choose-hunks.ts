/** Which hunks an answer has, and how much of them. */
import type { ChangedFile, ChangeHunk, ChangeOrigin, SessionChanges } from "../../core/changes.ts";
import type { SessionReference } from "../../core/diff.ts";
import type { Look } from "./looks.ts";
import type { ChangesOptions } from "./subject.ts";

/** More files are a generated tree. */
const MAX_FILES = 5000;
/** Lines in one answer, and of one file in it. */
const MAX_LINES = 100_000;
const MAX_FILE_LINES = 50_000;
const MAX_LINE_CHARACTERS = 4000;

export function chosen(
  files: readonly ChangedFile[],
  { sinceLook, mine }: ChangesOptions,
  { look, session }: { look: Look | undefined; session: SessionReference | undefined },
): ChangedFile[] {
  const tests: ((hunk: ChangeHunk, path: string) => boolean)[] = [];
  if (sinceLook === true && look !== undefined) {
    tests.push(({ id }, path) => look.files.get(path)?.has(id ?? "") !== true);
  }
  if (mine === true) {
    const isOwn = ({ agent, sessionId }: ChangeOrigin): boolean =>
      agent === session?.agent && sessionId === session?.sessionId;
    tests.push(({ origin, ranges = [] }) => isOwn(origin) || ranges.some((range) => isOwn(range.origin)));
  }
  if (tests.length === 0) return [...files];
  return files.flatMap((file): ChangedFile[] => {
    if (file.hunks === undefined) {
      // Only whether it was there at the last look is known. Where there was no room for lines, they may be new, or the session's.
      const isSeen = look?.files.has(file.path) === true && file.omitted !== NO_ROOM;
      return (mine === true && file.isBinary) || (sinceLook === true && isSeen) ? [] : [file];
    }
    const hunks = file.hunks.filter((hunk) => tests.every((test) => test(hunk, file.path)));
    return hunks.length === 0
      ? []
      : [{ ...file, hunks, added: count(hunks, "added"), removed: count(hunks, "removed") }];
  });
}

function count(hunks: readonly ChangeHunk[], wanted: "added" | "removed"): number {
  return hunks.reduce((sum, { lines }) => sum + lines.filter(({ kind }) => kind === wanted).length, 0);
}

const NO_ROOM = "Left out: the answer is long. Ask for this file alone.";

/** `before`: lines of files that come before it. */
function whyLeftOut(lines: number, before: number): string | undefined {
  if (lines > MAX_FILE_LINES) return `${lines} lines: too many to show.`;
  return before + lines > MAX_LINES ? NO_ROOM : undefined;
}

/** Files that an answer has no room for, and why, by how many lines git counted: before any work is done for them. */
export function withoutRoom(files: readonly ChangedFile[]): Map<string, string> {
  const reasons = new Map<string, string>();
  let [lines, names] = [0, 0];
  for (const { path, added, removed } of files) {
    const why = names >= MAX_FILES ? NO_ROOM : whyLeftOut(added + removed, lines);
    if (why !== undefined) reasons.set(path, why);
    else {
      lines += added + removed;
      names++;
    }
  }
  return reasons;
}

/** Within limits; what is left out says how to get it. */
export function bounded(
  files: readonly ChangedFile[],
  options: ChangesOptions,
): Pick<SessionChanges, "files" | "truncated"> {
  const isDetailed = options.hunks ?? options.paths !== undefined;
  const left = files.length - MAX_FILES;
  const shown = files.slice(0, MAX_FILES);
  const said = left > 0 ? [`${left} more files are left out.`] : [];
  if (!isDetailed) {
    return { files: shown.map(({ hunks: _, ...file }) => file), ...(left > 0 ? { truncated: said[0]! } : {}) };
  }
  let lines = 0;
  let cut = 0;
  const detailed = shown.map((file): ChangedFile => {
    if (file.hunks === undefined) {
      if (!file.isBinary) cut++;
      return file;
    }
    const size = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    const omitted = whyLeftOut(size, lines);
    if (omitted !== undefined) {
      cut++;
      const { hunks: _, ...facts } = file;
      return { ...facts, omitted };
    }
    lines += size;
    return { ...file, hunks: file.hunks.map(shortened) };
  });
  if (cut > 0) said.push(`The lines of ${cut === 1 ? "a file" : `${cut} files`} are left out.`);
  return { files: detailed, ...(said.length > 0 ? { truncated: said.join(" ") } : {}) };
}

function shortened(hunk: ChangeHunk): ChangeHunk {
  if (hunk.lines.every(({ text }) => text.length <= MAX_LINE_CHARACTERS)) return hunk;
  const lines = hunk.lines.map((line) =>
    line.text.length <= MAX_LINE_CHARACTERS ? line : { ...line, text: `${line.text.slice(0, MAX_LINE_CHARACTERS)}…` },
  );
  return { ...hunk, lines };
}
