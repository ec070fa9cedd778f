/** Parses `git diff --raw -z -p` into files with hunks. */
import type { ChangedFile, ChangeHunk, ChangeLine, ChangeOrigin } from "../../core/changes.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { digestOf } from "../../lib/values/digest.ts";

/** A changed file as git names it, before its lines are known. */
export interface RawEntry {
  path: string;
  oldPath?: string;
  state: Exclude<ChangedFile["state"], "untracked">;
  /** Of the old side; zeros if there is none. */
  oldBlob: string;
  newBlob: string;
}

const STATES: Readonly<Record<string, RawEntry["state"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "added",
  T: "typechange",
};

/** Entries, and what follows them. */
export function parseRaw(text: string): { entries: RawEntry[]; rest: string } {
  const entries: RawEntry[] = [];
  let at = 0;
  const next = (): string => {
    const end = text.indexOf("\0", at);
    const field = text.slice(at, end === -1 ? text.length : end);
    at = end === -1 ? text.length : end + 1;
    return field;
  };
  while (text[at] === ":") {
    const [, , oldBlob = "", newBlob = "", status = ""] = next().split(" ");
    const letter = status[0] ?? "";
    const first = next();
    const second = letter === "R" || letter === "C" ? next() : undefined;
    const state = STATES[letter];
    // A conflict has a second entry, of the file as it is.
    if (state === undefined) continue;
    const path = second ?? first;
    entries.push({
      path,
      state,
      oldBlob,
      newBlob,
      ...(second === undefined || letter === "C" ? {} : { oldPath: first }),
    });
  }
  if (text[at] === "\0") at++;
  return { entries, rest: text.slice(at) };
}

/** Until the sessions' edits were compared with it. */
export const UNKNOWN_ORIGIN: ChangeOrigin = { tier: "none", reason: "No recorded edit was compared with it." };

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Patches come in the order of the entries. A file that became a link has two: one deletes, one creates. */
export function parsePatches(entries: readonly RawEntry[], text: string): ChangedFile[] {
  const patches = splitPatches(text);
  const expected = entries.reduce((sum, { state }) => sum + patchesOf(state), 0);
  if (patches.length !== expected) {
    throw new AgentMuxError("INTERNAL", `git described ${patches.length} changes and named ${expected}. Try again.`);
  }
  let at = 0;
  return entries.map((entry) => {
    const mine = patches.slice(at, (at += patchesOf(entry.state)));
    const hunks = mine.flatMap((patch) => hunksOf(entry.path, patch));
    const isBinary = mine.some((patch) => /^Binary files .* differ$/m.test(beforeHunks(patch)));
    return fileOf(entry, hunks, isBinary);
  });
}

function patchesOf(state: RawEntry["state"]): number {
  return state === "typechange" ? 2 : 1;
}

function fileOf({ path, oldPath, state }: RawEntry, hunks: ChangeHunk[], isBinary: boolean): ChangedFile {
  const count = (kind: ChangeLine["kind"]): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return {
    path,
    ...(oldPath === undefined ? {} : { oldPath }),
    state,
    isBinary,
    added: count("added"),
    removed: count("removed"),
    ...(isBinary ? {} : { hunks }),
  };
}

/** No line of a file begins like a header: each has a sign before it. */
function splitPatches(text: string): string[] {
  return `\n${text}`.split("\ndiff --git ").slice(1);
}

function beforeHunks(patch: string): string {
  const at = patch.indexOf("\n@@ ");
  return at === -1 ? patch : patch.slice(0, at);
}

export function hunksOf(path: string, patch: string): ChangeHunk[] {
  const hunks: ChangeHunk[] = [];
  const lines = patch.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let current: ChangeHunk | undefined;
  let [oldLine, newLine] = [0, 0];
  for (const line of lines) {
    const sign = line[0];
    if (sign === "@") {
      const found = HUNK.exec(line);
      if (found === null) continue;
      const [oldStart, oldLines, newStart, newLines] = [1, 2, 3, 4].map((at) => Number(found[at] ?? 1)) as Four;
      current = { oldStart, oldLines, newStart, newLines, lines: [], origin: UNKNOWN_ORIGIN };
      hunks.push(current);
      [oldLine, newLine] = [oldStart, newStart];
    } else if (current === undefined) continue;
    else if (sign === "+") current.lines.push({ kind: "added", text: line.slice(1), newLine: newLine++ });
    else if (sign === "-") current.lines.push({ kind: "removed", text: line.slice(1), oldLine: oldLine++ });
    else if (sign === " ") {
      current.lines.push({ kind: "context", text: line.slice(1), oldLine: oldLine++, newLine: newLine++ });
    }
  }
  for (const hunk of hunks) hunk.id = hunkId(path, hunk);
  return hunks;
}

type Four = [number, number, number, number];

const ID_LENGTH = 16;

/** Without context and place: a change above does not make it another one. */
function hunkId(path: string, { lines }: ChangeHunk): string {
  const changed = lines.flatMap(({ kind, text }) =>
    kind === "context" ? [] : [`${kind === "added" ? "+" : "-"}${text}`],
  );
  return digestOf(`${path}\0${changed.join("\n")}`).slice(0, ID_LENGTH);
}

/** `git diff --numstat -z`, in the order of the entries. */
export function parseNumstat(text: string): { added: number; removed: number; isBinary: boolean }[] {
  const fields = text.split("\0");
  const counts: ReturnType<typeof parseNumstat> = [];
  for (let at = 0; at < fields.length; at++) {
    const found = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(fields[at]!);
    if (found === null) continue;
    const [, added = "", removed = "", path] = found;
    counts.push({ added: Number(added) || 0, removed: Number(removed) || 0, isBinary: added === "-" });
    // A rename's two names follow in fields of their own.
    if (path === "") at += 2;
  }
  return counts;
}
