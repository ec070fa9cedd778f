/** A session for reading on a terminal: facts, then coloured messages, wrapped. */
import { factsOf } from "../../history/export/facts.ts";
import { limited } from "../../history/export/limited.ts";
import type { SessionView } from "../../history/session-view.ts";
import { transcriptLines, type LineKind, type TranscriptLine } from "../../history/transcript-lines.ts";
import { localTime } from "../../lib/text/local-time.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Output, Style } from "../output.ts";
import { displayWidth } from "./display-width.ts";

type Shown = Pick<SessionView, "summary" | "messages" | "subagents">;

export function* sessionText(
  view: Shown,
  output: Output,
  { from = 0, limit, isFull }: { from?: number | undefined; limit?: number | undefined; isFull: boolean },
): Generator<string> {
  const { summary } = view;
  yield `${output.style("bold", oneLine(summary.title) || summary.unifiedId)}\n`;
  const times: Readonly<Record<string, Date>> = { Created: summary.createdAt, Updated: summary.updatedAt };
  for (const [label, value] of factsOf(summary)) {
    const time = times[label];
    yield `${output.style("dim", label.padEnd(14))} ${time === undefined ? oneLine(value) : localTime(time)}\n`;
  }
  yield "\n";
  const shown = limited(skipped(view.messages(), from), limit);
  let number = from;
  for (const message of shown.items) yield* styledLines(transcriptLines(message, number++, isFull), output);
  if (shown.cut()) yield `${output.style("dim", `… ${summary.messageCount - from - limit!} more messages`)}\n`;
  for (const helper of shown.cut() ? [] : view.subagents()) {
    yield `${output.style("bold", `Sub-agent ${oneLine(helper.label ?? helper.id)}`)}\n\n`;
    for (const [at, message] of helper.messages.entries())
      yield* styledLines(transcriptLines(message, at, isFull), output);
  }
}

function* skipped<T>(items: Iterable<T>, count: number): Generator<T> {
  let index = 0;
  for (const item of items) if (index++ >= count) yield item;
}

const LOOKS: Readonly<Partial<Record<LineKind, readonly Style[]>>> = {
  user: ["bold", "cyan"],
  assistant: ["bold", "green"],
  tool: ["dim"],
  system: ["bold", "yellow"],
  thinking: ["dim"],
  call: ["yellow"],
  output: ["dim"],
  failed: ["red"],
  added: ["green"],
  removed: ["red"],
  place: ["cyan"],
  fold: ["dim"],
};

export function* styledLines(lines: Iterable<TranscriptLine>, output: Output): Generator<string> {
  let isCode = false;
  for (const { kind, text, indent } of lines) {
    const isFence = kind === "text" && /^\s*(?:```|~~~)/.test(text);
    if (isFence) isCode = !isCode;
    for (const part of wrapped(text, output.width - indent)) {
      const isQuoted = isFence || (isCode && kind === "text");
      yield `${" ".repeat(part === "" ? 0 : indent)}${isQuoted ? output.style("cyan", part) : looked(part, kind, output)}\n`;
    }
  }
}

function looked(text: string, kind: LineKind, output: Output): string {
  if (kind === "text") return markdown(text, output);
  return (LOOKS[kind] ?? []).reduce((styled, style) => output.style(style, styled), text);
}

/** Styles headings, bold and code; with colours the markup is removed. */
function markdown(text: string, output: Output): string {
  if (!output.isStyled) return text;
  if (/^#{1,6} /.test(text)) return output.style("bold", text.replace(/^#+ /, ""));
  return text
    .replace(/\*\*([^*]{1,200})\*\*/g, (_, inside: string) => output.style("bold", inside))
    .replace(/`([^`]{1,200})`/g, (_, inside: string) => output.style("cyan", inside));
}

/** Lines of at most `width` columns, broken between words, or inside one that is too long. */
function wrapped(text: string, width: number): string[] {
  if (width === Infinity || displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const word of text.split(/(?<= )/)) {
    const size = displayWidth(word.trimEnd());
    if (used > 0 && used + size > width) {
      lines.push(current.trimEnd());
      [current, used] = ["", 0];
    }
    if (size <= width) {
      current += word;
      used += displayWidth(word);
      continue;
    }
    for (const character of word) {
      const columns = displayWidth(character);
      if (used + columns > width) {
        lines.push(current);
        [current, used] = ["", 0];
      }
      current += character;
      used += columns;
    }
  }
  return [...lines, current.trimEnd()];
}
