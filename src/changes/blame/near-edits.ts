/** Edits that may have made a line, though it cannot be proved: the same text but for its format, or a similar line. */
import type { ChangeLine } from "../../core/changes.ts";
import { isLong, tokensOf, type EditLine, type FileEdits } from "./edit-index.ts";
import type { RecordedEdit } from "./recorded-edits.ts";

/** A line that came later than this after the edit is more likely somebody else's. */
const REACH_MS = 3 * 24 * 3600 * 1000;
const SIMILAR = 0.8;
const FEWEST_TOKENS = 3;

export interface NearEdit {
  edit: RecordedEdit;
  reason: string;
}

export function nearestEdit(
  edits: FileEdits,
  { kind, text }: ChangeLine,
  until: number,
  isOver: (edit: RecordedEdit) => boolean,
): NearEdit | undefined {
  if (!isLong(text)) return undefined;
  const isInReach = ({ edit }: EditLine): boolean => edit.at <= until && until - edit.at <= REACH_MS && !isOver(edit);
  if (kind === "removed") {
    const edit = edits.removing(text).findLast(isInReach)?.edit;
    return edit && { edit, reason: "This session took this text away, but others may have, too." };
  }
  const exact = edits.adding(text).findLast(isInReach);
  if (exact !== undefined)
    return {
      edit: exact.edit,
      reason: "This session wrote this text, but it is repeated, was put in again since, or may come from elsewhere.",
    };
  const alike = edits.alike(text).findLast(isInReach);
  if (alike !== undefined)
    return { edit: alike.edit, reason: "This session wrote this line in another format, shortly before." };
  return similar(edits, text, isInReach);
}

function similar(edits: FileEdits, text: string, isInReach: (line: EditLine) => boolean): NearEdit | undefined {
  const tokens = tokensOf(text);
  if (tokens.length < FEWEST_TOKENS) return undefined;
  const wanted = new Set(tokens);
  let best: EditLine | undefined;
  let bestShare = SIMILAR;
  const looked = new Set<string>();
  for (const line of edits.withTokenOf(tokens)) {
    const other = line.edit.newLines[line.index]!;
    if (!isInReach(line) || looked.has(other)) continue;
    looked.add(other);
    const share = shareOf(wanted, tokensOf(other));
    if (share < bestShare) continue;
    bestShare = share;
    best = line;
  }
  return best && { edit: best.edit, reason: "This session wrote a similar line in this file, shortly before." };
}

/** 1 if both have the same words, 0 if none is in both. */
function shareOf(a: ReadonlySet<string>, b: readonly string[]): number {
  const common = b.filter((token) => a.has(token)).length;
  return (2 * common) / (a.size + b.length);
}
