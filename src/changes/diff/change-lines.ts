/** Changes as terminal lines: files, hunks with their origin, lines. */
import type { ChangedFile, ChangeHunk, ChangeLine, ChangeOrigin } from "../../core/changes.ts";
import type { LineKind, TranscriptLine } from "../../history/transcript-lines.ts";
import { oneLine, withoutControls } from "../../lib/text/text.ts";

const SIGNS = { added: "+", removed: "-", context: " " } as const;

/** What to show below a changed line. */
export type Below = (line: ChangeLine) => readonly TranscriptLine[];

const NOTHING: Below = () => [];

export function* fileLines(file: ChangedFile, below = NOTHING): Generator<TranscriptLine> {
  yield line("user", fileHeading(file));
  if (file.omitted !== undefined) yield line("fold", file.omitted, 2);
  for (const hunk of file.hunks ?? []) yield* hunkLines(hunk, below);
}

/** `renamed  old → new  +1 −2`. */
export function fileHeading({ path, oldPath, state, added, removed }: ChangedFile): string {
  const names = oldPath === undefined ? oneLine(path) : `${oneLine(oldPath)} → ${oneLine(path)}`;
  return `${names}  ${state}  +${added} −${removed}`;
}

export function* hunkLines(hunk: ChangeHunk, below = NOTHING): Generator<TranscriptLine> {
  const { oldStart, oldLines, newStart, newLines, lines, origin, ranges = [] } = hunk;
  const makers = new Set(ranges.map((range) => makerText(range.origin)));
  const place = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
  yield line("place", makers.size > 1 ? place : `${place}  ${originText(ranges.length > 0 ? ranges : [{ origin }])}`);
  for (const [index, changed] of lines.entries()) {
    const { kind, text } = changed;
    const range = makers.size > 1 && ranges.find(({ start }) => start === index);
    if (range) yield line("fold", `· ${originText([range])}`);
    yield line(kind === "context" ? "same" : kind, `${SIGNS[kind]}${withoutControls(text)}`);
    yield* below(changed);
  }
}

/** `claude 5cbe954d #12 (proved)`, of ranges with one maker. */
function originText(ranges: readonly { origin: ChangeOrigin }[]): string {
  const maker = makerText(ranges[0]!.origin);
  const tiers = [...new Set(ranges.map(({ origin }) => origin.tier))];
  return tiers.includes("none") ? maker : `${maker} (${tiers.join(", ")})`;
}

function makerText({ tier, agent, sessionId, messageIndex }: ChangeOrigin): string {
  if (tier === "none" || agent === undefined || sessionId === undefined) return "not by a session we know";
  const message = messageIndex === undefined ? "" : ` #${messageIndex}`;
  return `${oneLine(agent)} ${oneLine(sessionId).slice(0, SHOWN_ID)}${message}`;
}

const SHOWN_ID = 13;

function line(kind: LineKind, text: string, indent = 0): TranscriptLine {
  return { kind, text, indent };
}
