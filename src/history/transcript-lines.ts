/** Renders messages as terminal lines: numbered, edits as diffs, long output folded. */
import type { SessionMessage, SessionToolCall } from "../core/session.ts";
import { editsOf, callSummary, type Edit } from "../core/tool-edits.ts";
import { jsonText } from "../lib/json/json.ts";
import { localTime } from "../lib/text/local-time.ts";
import { beginning, oneLine, withoutControls } from "../lib/text/text.ts";
import { commonPositions } from "../lib/values/lcs.ts";

/** A heading has its message's role; otherwise the kind of the line. */
export type LineKind =
  | SessionMessage["role"]
  | "text"
  | "thinking"
  | "call"
  | "output"
  | "failed"
  | "added"
  | "removed"
  | "same"
  | "place"
  | "fold";

export interface TranscriptLine {
  kind: LineKind;
  text: string;
  indent: number;
  /** Of code: the language's name, or the ending of the file. */
  language?: string;
}

const MAX_OUTPUT_LINES = 8;
const MAX_THINKING_LINES = 3;
const MAX_DIFF_LINES = 40;
/** Longer texts are shown as removed and added: a diff takes too long. */
const MAX_COMPARED_LINES = 2000;
const MAX_INPUT = 200;
const CONTEXT = 3;

/** `number` is the message number; `isFull` disables folding. */
export function transcriptLines(message: SessionMessage, number: number, isFull = false): TranscriptLine[] {
  const { role, content, thinking = "", toolCalls = [], toolResult } = message;
  const isTool = role === "tool";
  const said = isTool && content === "" ? printed(toolResult?.output) : content;
  const kind = isTool ? (toolResult?.isError === true ? "failed" : "output") : "text";
  const lines: TranscriptLine[] = [
    { kind: role, text: headingOf(message, number), indent: 0 },
    ...folded(linesOf(thinking), "thinking", isFull ? undefined : MAX_THINKING_LINES),
    ...inLanguages(folded(linesOf(said), kind, isTool && !isFull ? MAX_OUTPUT_LINES : undefined)),
    ...toolCalls.flatMap((call) => callLines(call, isFull)),
  ];
  return [...lines, { kind: "text", text: "", indent: 0 }];
}

function headingOf({ role, model, timestamp, toolResult, inherited }: SessionMessage, number: number): string {
  const facts = [
    toolResult === undefined ? role : `${role} ${oneLine(toolResult.toolName)}`,
    toolResult?.isError === true ? "failed" : "",
    inherited === true ? "inherited" : "",
    role === "assistant" ? oneLine(model ?? "") : "",
    timestamp === undefined ? "" : localTime(timestamp),
  ];
  return `#${number} ${facts.filter((fact) => fact !== "").join(" · ")}`;
}

function callLines({ toolName, input, durationMs, isError }: SessionToolCall, isFull: boolean): TranscriptLine[] {
  const edits = editsOf(input);
  const isOne = edits.length === 1;
  const said = isOne ? edits[0]!.path : edits.length > 0 ? "" : callSummary(input) || (jsonText(input) ?? "");
  const took = durationMs === undefined ? "" : ` (${(durationMs / 1000).toFixed(1)} s)`;
  const what = oneLine(beginning(said, MAX_INPUT));
  const head = `⚒ ${oneLine(toolName)}${what === "" || what === "{}" ? "" : ` ${what}`}${took}`;
  return [
    { kind: isError === true ? "failed" : "call", text: head, indent: 2 },
    ...edits.flatMap((edit) => editLines(edit, isFull, isOne)),
  ];
}

/** `isNamed`: the heading says the path. */
function editLines(edit: Edit, isFull: boolean, isNamed: boolean): TranscriptLine[] {
  const lines = diffOf(edit);
  const added = lines.filter(({ kind }) => kind === "added").length;
  const removed = lines.filter(({ kind }) => kind === "removed").length;
  const path = isNamed || edit.path === "" ? [] : [{ kind: "place" as const, text: oneLine(edit.path), sign: "" }];
  const shown = isFull ? lines : lines.slice(0, MAX_DIFF_LINES);
  let language = endingOf(edit.path);
  const told = [...path, ...shown].map(({ kind, text, sign }): TranscriptLine => {
    // A patch names its files.
    if (kind === "place") language = endingOf(text) || language;
    return { kind, text: `${sign}${text}`, indent: 4, ...(kind === "place" ? {} : { language }) };
  });
  return [
    ...told,
    ...(shown.length === lines.length ? [] : [fold(lines.length - shown.length, `, +${added} −${removed} in all`)]),
  ];
}

/** Code between fences has the language that the first one names. */
function inLanguages(lines: readonly TranscriptLine[]): TranscriptLine[] {
  let language: string | undefined;
  return lines.map((line) => {
    const fence = line.kind === "text" ? /^\s*(?:```|~~~)\s*([\w-]*)/.exec(line.text) : null;
    if (fence !== null) language = language === undefined ? fence[1]! : undefined;
    return fence !== null || language === undefined ? line : { ...line, language };
  });
}

function endingOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1] ?? "";
}

interface DiffLine {
  kind: "added" | "removed" | "same" | "place";
  text: string;
  sign: string;
}

function diffOf(edit: Edit): DiffLine[] {
  if (edit.kind === "patch") return linesOf(edit.patch).map(patchLine);
  if (edit.kind === "write") return linesOf(edit.after).map((text) => changed("added", text));
  const [before, after] = [linesOf(edit.before), linesOf(edit.after)];
  const pairs = before.length + after.length > MAX_COMPARED_LINES ? [] : commonPositions(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...pairs, [before.length, after.length] as const]) {
    for (const text of before.slice(i, a)) lines.push(changed("removed", text));
    for (const text of after.slice(j, b)) lines.push(changed("added", text));
    if (a < before.length && b < after.length) lines.push(changed("same", before[a]!));
    [i, j] = [a + 1, b + 1];
  }
  return nearChanges(lines);
}

const SIGNS = { added: "+ ", removed: "- ", same: "  " } as const;

function changed(kind: keyof typeof SIGNS, text: string): DiffLine {
  return { kind, text, sign: SIGNS[kind] };
}

function patchLine(line: string): DiffLine {
  if (/^(?:\*\*\*|@@|diff |index |--- |\+\+\+ )/.test(line)) return { kind: "place", text: line, sign: "" };
  if (line.startsWith("+")) return changed("added", line.slice(1));
  return line.startsWith("-") ? changed("removed", line.slice(1)) : changed("same", line.replace(/^ /, ""));
}

/** Keeps only unchanged lines next to a change. */
function nearChanges(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, at) => {
    if (kind !== "same") isNear.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  });
  return lines.flatMap((line, at) => {
    if (isNear[at] === true) return [line];
    return at === 0 || isNear[at - 1] === true ? [{ kind: "place" as const, text: "⋮", sign: "" }] : [];
  });
}

function folded(lines: readonly string[], kind: LineKind, most = lines.length): TranscriptLine[] {
  const shown = lines.slice(0, most).map((text) => ({ kind, text, indent: 2 }));
  return lines.length <= most ? shown : [...shown, { ...fold(lines.length - most), indent: 2 }];
}

function fold(count: number, more = ""): TranscriptLine {
  return { kind: "fold", text: `… ${count} more ${count === 1 ? "line" : "lines"}${more}`, indent: 4 };
}

function linesOf(text: string): string[] {
  const clean = withoutControls(text.replaceAll("\r\n", "\n")).replaceAll("\t", "  ").trimEnd();
  const lines = clean.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first);
}

function printed(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (jsonText(value, 2) ?? "");
}
