/** Recorded edits by file and by line, so that thousands of changed lines are looked up without comparing texts. */
import { groupBy } from "../../lib/values/group-by.ts";
import type { RecordedEdit } from "./recorded-edits.ts";

/** A line of an edit's new or old text. */
export interface EditLine {
  edit: RecordedEdit;
  index: number;
}

/** Fewer signs than this (a bracket, `return;`) say nothing about who wrote them. */
const LONG_LINE = 12;
/** A line that an agent wrote more often than this is in no way its own. */
const MAX_SAME = 64;
const MAX_TOKEN_LINES = 40;
const MAX_RARE_TOKENS = 4;

export class EditIndex {
  readonly #byPath: Map<string, RecordedEdit[]>;
  readonly #files = new Map<string, FileEdits>();

  constructor(edits: Iterable<RecordedEdit>) {
    this.#byPath = groupBy(edits, ({ path }) => path);
  }

  /** Undefined if no session edited it. */
  file(path: string, oldPath?: string): FileEdits | undefined {
    const key = `${path}\0${oldPath ?? ""}`;
    let file = this.#files.get(key);
    if (file === undefined) {
      const edits = [
        ...(this.#byPath.get(path) ?? []),
        ...((oldPath !== path && this.#byPath.get(oldPath ?? "")) || []),
      ];
      if (edits.length === 0) return undefined;
      this.#files.set(key, (file = new FileEdits(edits.sort((a, b) => a.at - b.at))));
    }
    return file;
  }

  get paths(): IterableIterator<string> {
    return this.#byPath.keys();
  }
}

/** The edits of one file, oldest first. */
export class FileEdits {
  readonly edits: readonly RecordedEdit[];
  readonly #added = new Map<string, EditLine[]>();
  readonly #removed = new Map<string, EditLine[]>();
  /** By text without white space and punctuation that formatters change. */
  readonly #alike = new Map<string, EditLine[]>();
  readonly #tokens = new Map<string, EditLine[]>();
  #isAlikeKnown = false;
  readonly #within: ReplacementsByWord;
  readonly #wholes: readonly RecordedEdit[];
  readonly #order = new Map<RecordedEdit, number>();
  readonly #wholeTexts = new Map<RecordedEdit, Set<string>>();
  /** Replacements that may begin or end within a line. */
  readonly replacements: readonly RecordedEdit[];

  constructor(edits: readonly RecordedEdit[]) {
    this.edits = edits;
    this.#wholes = edits.filter(({ isWhole }) => isWhole);
    this.replacements = edits.filter(({ replaced }) => replaced !== undefined && replaced.before !== "");
    this.#within = new ReplacementsByWord(this.replacements);
    for (const edit of edits) {
      edit.newLines.forEach((text, index) => {
        if (edit.isAdded[index] && isLong(text)) push(this.#added, text, { edit, index });
      });
      edit.oldLines.forEach((text, index) => {
        if (edit.isRemoved[index] && isLong(text)) push(this.#removed, text, { edit, index });
      });
    }
  }

  /** Edits of one message have one time. */
  isAfter(one: RecordedEdit, other: RecordedEdit): boolean {
    if (one.at !== other.at || one.sessionId !== other.sessionId) return one.at > other.at;
    if (this.#order.size === 0) this.edits.forEach((edit, index) => this.#order.set(edit, index));
    return this.#order.get(one)! > this.#order.get(other)!;
  }

  /** Edits that put this line in. */
  adding(text: string): readonly EditLine[] {
    return this.#added.get(text) ?? [];
  }

  /** Edits that took this line away. */
  removing(text: string): readonly EditLine[] {
    return this.#removed.get(text) ?? [];
  }

  /** Edits with the same line up to what a formatter changes. */
  alike(text: string): readonly EditLine[] {
    this.#readAlike();
    return this.#alike.get(bareText(text)) ?? [];
  }

  /** On demand: where everything is proved, it is not needed. */
  #readAlike(): void {
    if (this.#isAlikeKnown) return;
    this.#isAlikeKnown = true;
    for (const edit of this.edits)
      edit.newLines.forEach((text, index) => {
        if (!isLong(text) || (!edit.isAdded[index] && !edit.isUnsure)) return;
        push(this.#alike, bareText(text), { edit, index });
        for (const token of tokensOf(text)) push(this.#tokens, token, { edit, index }, MAX_TOKEN_LINES);
      });
  }

  /** Lines of edits with one of the rarest words of this line. */
  withTokenOf(tokens: readonly string[]): EditLine[] {
    this.#readAlike();
    const lists = tokens.flatMap((token) => {
      const lines = this.#tokens.get(token);
      return lines === undefined || lines.length >= MAX_TOKEN_LINES ? [] : [lines];
    });
    return lists
      .sort((a, b) => a.length - b.length)
      .slice(0, MAX_RARE_TOKENS)
      .flat();
  }

  /** Whether one of these edits took the line out, as a whole or in part. */
  isTakenOut(text: string, isMeant: (edit: RecordedEdit) => boolean): boolean {
    if (this.removing(text).some(({ edit }) => isMeant(edit))) return true;
    if (this.#wholes.some((edit) => isMeant(edit) && !this.#textOf(edit).has(text))) return true;
    return this.#within.some(text, (edit) => {
      const { before, after } = edit.replaced!;
      if (!text.includes(before) || !isMeant(edit)) return false;
      // An insertion beside it leaves the line as it was.
      return !text
        .replace(before, () => after)
        .split("\n")
        .includes(text);
    });
  }

  #textOf(edit: RecordedEdit): Set<string> {
    let lines = this.#wholeTexts.get(edit);
    if (lines === undefined) this.#wholeTexts.set(edit, (lines = new Set(edit.newLines)));
    return lines;
  }
}

/** Replacements within a line, by a word that the line must have. */
class ReplacementsByWord {
  readonly #byWord = new Map<string, RecordedEdit[]>();
  readonly #wordless: RecordedEdit[] = [];

  constructor(edits: readonly RecordedEdit[]) {
    for (const edit of edits) {
      const { before } = edit.replaced!;
      if (before.includes("\n")) continue;
      // Words at the ends may be parts of words.
      const inner = before.replace(/^[\p{L}\p{N}_]+/u, "").replace(/[\p{L}\p{N}_]+$/u, "");
      const [word] = tokensOf(inner).sort((a, b) => b.length - a.length);
      const list = word === undefined ? this.#wordless : (this.#byWord.get(word) ?? []);
      list.push(edit);
      if (word !== undefined) this.#byWord.set(word, list);
    }
  }

  some(text: string, isMeant: (edit: RecordedEdit) => boolean): boolean {
    if (this.#wordless.some(isMeant)) return true;
    return this.#byWord.size > 0 && tokensOf(text).some((token) => this.#byWord.get(token)?.some(isMeant) === true);
  }
}

function push(map: Map<string, EditLine[]>, key: string, line: EditLine, max = MAX_SAME): void {
  const lines = map.get(key);
  if (lines === undefined) map.set(key, [line]);
  else if (lines.length < max) lines.push(line);
}

/** Signs that are not white space. */
export function weightOf(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 32) count++;
  return count;
}

export function isLong(text: string): boolean {
  let left = LONG_LINE;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 32 && --left === 0) return true;
  return false;
}

/** What formatters leave alone. */
export function bareText(text: string): string {
  return text.replaceAll(/[\s;,()'"`]+/g, "");
}

const MAX_TOKENS = 64;

export function tokensOf(text: string): string[] {
  return [...new Set(text.match(/[\p{L}\p{N}_]{2,}/gu))].slice(0, MAX_TOKENS);
}
