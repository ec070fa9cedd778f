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
      // Nothing tells who made it, only whether it was there at the last look.
      return mine === true || look?.files.has(file.path) === true ? [] : [file];
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
    const size = (file.hunks ?? []).reduce((sum, hunk) => sum + hunk.lines.length, 0);
    if (size > MAX_FILE_LINES || lines + size > MAX_LINES) {
      cut++;
      const { hunks: _, ...facts } = file;
      const omitted =
        size > MAX_FILE_LINES
          ? `${size} lines: too many to show.`
          : "Left out: the answer is long. Ask for this file alone.";
      return { ...facts, omitted };
    }
    lines += size;
    return file.hunks === undefined ? file : { ...file, hunks: file.hunks.map(shortened) };
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
