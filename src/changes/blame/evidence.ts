/**
 * Which recorded edit made a changed line. README.md in the folder above has the rules. In doubt the answer is the weaker one: a
 * wrong "proved" is worse than a missing one.
 */
import type { ChangeHunk, ChangeLine, ChangeOrigin, ChangeRange } from "../../core/changes.ts";
import { optional } from "../../lib/values/optional.ts";
import { mayHaveArrived, type Arrivals } from "./arrivals.ts";
import { isLong, weightOf, type EditIndex, type EditLine, type FileEdits } from "./edit-index.ts";
import { withoutReturn } from "./edit-text.ts";
import { blocksOf, filledDown, positionsOf, runAround, type Run } from "./hunk-runs.ts";
import { nearestEdit } from "./near-edits.ts";
import { replacementsIn } from "./replacements.ts";
import type { RecordedEdit } from "./recorded-edits.ts";

/** Where changed lines are, and what is known about when they came there. */
export interface ChangedPlace {
  /** Relative to the root. */
  path: string;
  oldPath?: string;
  /** The lines were there at this time: of the commit, of the file's last change, or now. */
  until: number;
  /** The whole file after the change. Without it, repeated lines are only seen within a hunk. */
  file?: readonly string[];
  /** What commits up to this one changed in the file, the one that has the lines included. */
  commits?: readonly CommittedLines[];
  /** Commits before that time are not known. */
  knownSince?: number;
  /** Needed if edits were made in other checkouts. */
  arrivals?: Arrivals;
  /** All hunks of the file. Without them, lines that were taken away twice are only seen within a hunk. */
  hunks?: readonly { lines: readonly ChangeLine[] }[];
}

export interface CommittedLines {
  commit: string;
  /** Its lines came with the commits it merged, unless they were typed in the merge. */
  isMerge: boolean;
  /** Committer's time. */
  at: number;
  added: ReadonlySet<string>;
  removed: ReadonlySet<string>;
}

export const NOT_KNOWN: ChangeOrigin = { tier: "none", reason: "Not by a session we know." };

/** A run of matching lines with fewer signs than this may be a coincidence. */
const LONG_RUN = 24;
/** Repeated more often than this in one file, a line is nobody's. */
const MANY = 2;
/** Lines above and below in which others of the same edit are looked for. */
const AROUND = 20;
/** Commit times have no fraction of a second. */
const CLOCK_MS = 1000;

/** An index of a file's edits for one place; make it once per file, then ask for each hunk. */
export class Evidence {
  readonly #edits: FileEdits | undefined;
  readonly #place: ChangedPlace;
  readonly #until: number;
  readonly #file: readonly string[] | undefined;
  #counts: Map<string, number> | undefined;
  #removals: Map<string, number> | undefined;
  #numbers: Map<string, number> | undefined;
  #text: string | undefined;
  readonly #longLines = new Map<RecordedEdit, Set<string>>();
  readonly #candidatesOf = { added: new Map(), removed: new Map(), context: new Map() } as Readonly<
    Record<ChangeLine["kind"], Map<string, readonly EditLine[]>>
  >;

  constructor(index: EditIndex, place: ChangedPlace) {
    this.#edits = index.file(place.path, place.oldPath);
    this.#place = place;
    this.#file = place.file?.map(withoutReturn);
    this.#until = place.until + CLOCK_MS;
  }

  /** The hunk with its origin, and with ranges if it has several. */
  attribute<H extends Omit<ChangeHunk, "origin" | "ranges">>(hunk: H): H & Pick<ChangeHunk, "origin" | "ranges"> {
    return { ...hunk, ...summed(hunk.lines, this.originsOf(hunk.lines)) };
  }

  /** By line; undefined for context. */
  originsOf(changed: readonly ChangeLine[]): (ChangeOrigin | undefined)[] {
    const edits = this.#edits;
    const lines = changed.map((line) => ({ ...line, text: withoutReturn(line.text) }));
    if (edits === undefined || edits.edits[0]!.at > this.#until)
      return lines.map(({ kind }) => (kind === "context" ? undefined : NOT_KNOWN));
    const hunk: Hunk = {
      lines,
      origins: lines.map(() => undefined),
      counts: countsOf(lines.map(({ text }) => text)),
      replacedBy: replacementsIn(edits, lines, this.#until),
    };
    this.#prove(edits, hunk, "added");
    this.#prove(edits, hunk, "removed");
    this.#proveReplacements(edits, hunk);
    this.#findNear(edits, hunk);
    inheritBeside(hunk, (text) => this.#isCommon(hunk, text));
    return lines.map(({ kind }, index) => (kind === "context" ? undefined : (hunk.origins[index] ?? NOT_KNOWN)));
  }

  /** Finds lines that only one session wrote, and goes from there up and down as far as the texts are equal. */
  #prove(edits: FileEdits, hunk: Hunk, kind: "added" | "removed"): void {
    const { lines, origins } = hunk;
    const side = positionsOf(lines, kind);
    for (const [at, position] of side.entries()) {
      const line = lines[position]!;
      if (line.kind !== kind || origins[position] !== undefined || !isLong(line.text)) continue;
      const found = this.#isOnce(hunk, line) ? this.#author(edits, line) : undefined;
      if (found === undefined) continue;
      const run = runAround(lines, side, at, found, kind);
      if (run.weight < LONG_RUN) continue;
      // A short line is proved only between long ones: at the edge, git may show its twin from above or below instead.
      const isSure = run.lines.map((one) => {
        const { kind: own, text } = lines[one.position]!;
        if (!isLong(text)) return undefined;
        const isOwn = own === kind && isChangedIn(found.edit, one.index, kind);
        return isOwn && this.#isOnly(edits, hunk, one.position, found.edit) && this.#isAtPlace(hunk, one, found.edit);
      });
      const [above, below] = [filledDown(isSure), filledDown(isSure.toReversed()).toReversed()];
      run.lines.forEach((one, place) => {
        if (lines[one.position]!.kind !== kind || !isChangedIn(found.edit, one.index, kind)) return;
        if (above[place] !== true || below[place] !== true) return;
        origins[one.position] = originOf(found.edit, "proved", PROVED[kind]);
      });
    }
  }

  /** Other long lines of the edit are around it, and it was not put into a line. */
  #isAtPlace({ lines }: Hunk, { position, index }: Run["lines"][number], edit: RecordedEdit): boolean {
    const { kind, text } = lines[position]!;
    if (kind !== "added") return true;
    const isEdge = edit.replaced !== undefined && (index === 0 || index === edit.newLines.length - 1);
    if (isEdge && this.#isRepeated(text)) return false;
    let long = this.#longLines.get(edit);
    if (long === undefined) this.#longLines.set(edit, (long = new Set(edit.newLines.filter(isLong))));
    if (long.size < 2) return true;
    const all = this.#file ?? lines.flatMap((line) => (line.kind === "removed" ? [] : [line.text]));
    const at = this.#file === undefined ? all.indexOf(text) : this.#lineNumber(text);
    const around = all.slice(Math.max(0, at - AROUND), at + AROUND + 1);
    return around.some((line) => line !== text && long.has(line));
  }

  #lineNumber(text: string): number {
    this.#numbers ??= new Map(this.#file!.map((line, index) => [line, index]));
    return this.#numbers.get(text) ?? 0;
  }

  /** Whether the text is in the file more than once, also within lines. */
  #isRepeated(text: string): boolean {
    this.#text ??= this.#file?.join("\n") ?? "";
    const at = this.#text.indexOf(text);
    return at !== -1 && this.#text.includes(text, at + 1);
  }

  #proveReplacements(edits: FileEdits, hunk: Hunk): void {
    for (const [index, [edit]] of hunk.replacedBy) {
      const line = hunk.lines[index]!;
      if (hunk.origins[index] !== undefined || !this.#isOnce(hunk, line)) continue;
      if (!this.#isOnly(edits, hunk, index, edit!) || !this.#isOnePlace(edit!)) continue;
      hunk.origins[index] = originOf(edit!, "proved", "This edit replaced this text by this text.");
    }
  }

  /** The same few words may be replaced at several places, by others too. */
  #isOnePlace({ replaced }: RecordedEdit): boolean {
    const { before, after } = replaced!;
    return weightOf(before) >= LONG_RUN && weightOf(after) >= LONG_RUN && !this.#isRepeated(after);
  }

  /** The edit of the only session that put this line in, or took it away. */
  #author(edits: FileEdits, line: ChangeLine): EditLine | undefined {
    let author: EditLine | undefined;
    for (const candidate of this.#candidates(edits, line)) {
      if (author !== undefined && !isSameFamily(author.edit, candidate.edit)) return undefined;
      // A file that is written again as a whole repeats what was in it.
      if (author === undefined || !candidate.edit.isWhole) author = candidate;
    }
    return author;
  }

  #candidates(edits: FileEdits, line: ChangeLine): readonly EditLine[] {
    const known = this.#candidatesOf[line.kind].get(line.text);
    if (known !== undefined) return known;
    const all = line.kind === "added" ? edits.adding(line.text) : edits.removing(line.text);
    const found = all.filter(({ edit }) => edit.at <= this.#until && !this.#isUndone(edits, line, edit));
    this.#candidatesOf[line.kind].set(line.text, found);
    return found;
  }

  /** Whether this long line can be this edit's and nobody else's. */
  #isOnly(edits: FileEdits, { lines, replacedBy }: Hunk, index: number, edit: RecordedEdit): boolean {
    const line = lines[index]!;
    const candidates = this.#candidates(edits, line);
    if (!candidates.some((one) => one.edit === edit) && this.#isUndone(edits, line, edit)) return false;
    const others = replacedBy.get(index) ?? [];
    return candidates.every((one) => isSameFamily(one.edit, edit)) && others.every((one) => isSameFamily(one, edit));
  }

  /** Somebody took the line out again since (or put it in again), so that the one here is not the edit's. */
  #isUndone(edits: FileEdits, { kind, text }: ChangeLine, edit: RecordedEdit): boolean {
    const isLater = (other: RecordedEdit): boolean => edits.isAfter(other, edit) && other.at <= this.#until;
    if (kind === "added" ? edits.isTakenOut(text, isLater) : edits.adding(text).some((one) => isLater(one.edit)))
      return true;
    const { commits = [], knownSince = 0, arrivals } = this.#place;
    if (edit.at < knownSince) return true;
    let times = 0;
    let carrier: CommittedLines | undefined;
    for (const one of commits) {
      if (one.at + CLOCK_MS < edit.at) {
        // Whatever the tool said about a new file: this line was there.
        if (edit.isWhole && one.added.has(text)) return true;
        continue;
      }
      if ((kind === "added" ? one.removed : one.added).has(text)) return true;
      if (!(kind === "added" ? one.added : one.removed).has(text)) continue;
      if (!one.isMerge) times++;
      if (carrier === undefined || !one.isMerge) carrier = one;
    }
    return times > 1 || (arrivals !== undefined && !mayHaveArrived(arrivals, edit, carrier?.commit));
  }

  /** A commit took it out since, and no recorded edit put it in again: somebody typed it. */
  #isRetyped({ kind, text }: ChangeLine, edit: RecordedEdit): boolean {
    const commits = kind === "added" ? (this.#place.commits ?? []) : [];
    return commits.some(({ at, added, removed }) => at + CLOCK_MS >= edit.at && removed.has(text) && !added.has(text));
  }

  #isOnce({ counts }: Hunk, { text, kind }: ChangeLine): boolean {
    if (this.#file !== undefined) this.#counts ??= countsOf(this.#file);
    const here = kind === "added" ? 1 : 0;
    if (counts.get(text) !== 1 || (this.#counts?.get(text) ?? here) > here) return false;
    return kind === "added" || (this.#removalsOf().get(text) ?? 1) === 1;
  }

  #removalsOf(): Map<string, number> {
    const all = (this.#place.hunks ?? []).flatMap(({ lines }) => lines.filter(({ kind }) => kind === "removed"));
    return (this.#removals ??= countsOf(all.map(({ text }) => withoutReturn(text))));
  }

  /** A line of every other function says nothing by itself. */
  #isCommon({ counts }: Hunk, text: string): boolean {
    return Math.max(this.#counts?.get(text) ?? 0, counts.get(text) ?? 0) > MANY;
  }

  #findNear(edits: FileEdits, hunk: Hunk): void {
    const { lines, origins } = hunk;
    lines.forEach((line, index) => {
      if (line.kind === "context" || origins[index] !== undefined) return;
      if (this.#isCommon(hunk, line.text)) return;
      const near = nearestEdit(edits, line, this.#until, (edit) => this.#isRetyped(line, edit));
      if (near !== undefined) origins[index] = originOf(near.edit, "near", near.reason);
    });
  }
}

interface Hunk {
  lines: readonly ChangeLine[];
  origins: (ChangeOrigin | undefined)[];
  counts: ReadonlyMap<string, number>;
  replacedBy: ReadonlyMap<number, readonly RecordedEdit[]>;
}

function countsOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Short lines, and lines that were taken away where a session put others: near if the lines around them have one author. */
function inheritBeside({ lines, origins }: Hunk, isCommon: (text: string) => boolean): void {
  for (const [start, end] of blocksOf(lines)) {
    // A long line of nobody is a border.
    const found = origins.slice(start, end).map((origin, i) => {
      const { kind, text } = lines[start + i]!;
      return origin ?? (kind === "added" && isLong(text) && !isCommon(text) ? NOT_KNOWN : undefined);
    });
    const [before, after] = [filledDown(found), filledDown(found.toReversed()).toReversed()];
    for (const [i, known] of found.entries()) {
      const [one, other] = [before[i] ?? after[i], after[i] ?? before[i]];
      if (known !== undefined || one?.agent === undefined || other === undefined || !isSameCaller(one, other)) continue;
      origins[start + i] = { ...one, tier: "near", reason: "Beside lines of this edit; too little text to prove it." };
    }
  }
}

const PROVED = {
  added: "This edit put in this text, which is here once and in no other session's edit.",
  removed: "This edit took away this text, which no other session's edit did.",
};

function isChangedIn(edit: RecordedEdit, index: number, kind: "added" | "removed"): boolean {
  return (kind === "added" ? edit.isAdded : edit.isRemoved)[index] === true;
}

/** A session and its sub-agents are one author. */
export function isSameFamily(a: RecordedEdit, b: RecordedEdit): boolean {
  const familyOf = ({ agent, sessionId, parentSessionId }: RecordedEdit): string =>
    `${agent}\0${parentSessionId ?? sessionId}`;
  return familyOf(a) === familyOf(b);
}

function isSameCaller(a: ChangeOrigin, b: ChangeOrigin): boolean {
  return a.agent === b.agent && a.sessionId === b.sessionId;
}

export function originOf(edit: RecordedEdit, tier: "proved" | "near", reason: string): ChangeOrigin {
  const { agent, sessionId, sessionTitle, toolCallId, at } = edit;
  return {
    tier,
    agent,
    sessionId,
    sessionTitle,
    ...optional("messageIndex", edit.messageIndex),
    toolCallId,
    ...optional("subagent", edit.subagent),
    ...optional("parentSessionId", edit.parentSessionId),
    ...optional("machine", edit.machine),
    at: new Date(at).toISOString(),
    reason,
  };
}

function summed(
  lines: readonly ChangeLine[],
  origins: readonly (ChangeOrigin | undefined)[],
): Pick<ChangeHunk, "origin" | "ranges"> {
  const ranges: ChangeRange[] = [];
  const weights = new Map<ChangeOrigin, number>();
  origins.forEach((origin, index) => {
    if (origin === undefined) return;
    const last = ranges.at(-1);
    if (last !== undefined && last.end === index && isSameOrigin(last.origin, origin)) last.end++;
    else ranges.push({ start: index, end: index + 1, origin });
  });
  for (const { origin, start, end } of ranges) {
    const same = [...weights.keys()].find((known) => isSameOrigin(known, origin)) ?? origin;
    weights.set(same, (weights.get(same) ?? 0) + end - start);
  }
  const [most] = [...weights].sort((a, b) => b[1] - a[1]);
  if (most === undefined) return { origin: NOT_KNOWN };
  return weights.size === 1 ? { origin: most[0] } : { origin: most[0], ranges };
}

export function isSameOrigin(a: ChangeOrigin, b: ChangeOrigin): boolean {
  return a.tier === b.tier && isSameCaller(a, b) && a.toolCallId === b.toolCallId && a.messageIndex === b.messageIndex;
}
