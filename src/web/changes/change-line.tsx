/** One line of a change, with syntax colours, changed words, and numbers to select it by. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useCodeColours } from "../ui/code-colours.ts";
import type { ChangeRow } from "./change-rows.ts";
import type { Changes } from "./changes.ts";
import { wordMarks } from "./word-marks.ts";

const SIGNS = { added: "+", removed: "−", context: " " } as const;

export interface ChangeLineProps {
  changes: Changes;
  row: Extract<ChangeRow, { kind: "line" }>;
  isSelected: boolean;
}

export function ChangeLineView({ changes, row, isSelected }: ChangeLineProps): JSX.Element {
  const { file, hunk, index } = row;
  const { kind, text, oldLine, newLine } = hunk.lines[index]!;
  const code = useRef<HTMLElement>(null);
  const [, ending = ""] = /\.(\w+)$/.exec(file.path) ?? [];
  useCodeColours(code, text, ending);
  useEffect(() => markWords(code.current!, row), [hunk, index]);
  const number = newLine ?? oldLine;
  const isTouch = useRef(false);
  return (
    <div class={`change-line ${kind} ${isSelected ? "chosen" : ""}`}>
      <button
        type="button"
        class="line-number"
        // Arrow keys reach the others.
        tabIndex={index === 0 ? 0 : -1}
        aria-label={`Comment on ${kind === "removed" ? "removed line" : "line"} ${number}`}
        aria-pressed={isSelected}
        onPointerDown={(event) => {
          isTouch.current = event.pointerType === "touch";
          // A finger may begin to scroll here.
          if (event.button === 0 && !isTouch.current) selectLine(changes, row, event.shiftKey);
        }}
        onPointerEnter={(event) => {
          if (event.buttons === 1 && event.pointerType !== "touch") selectLine(changes, row, true);
        }}
        onClick={(event) => {
          const { value: before } = changes.selection;
          // A finger has no Shift key: its second tap extends, the third one begins anew.
          const isSecond = isTouch.current && before?.from === before?.to;
          selectLine(changes, row, event.shiftKey || isSecond);
        }}
      >
        <span class="old-number" data-line={oldLine} />
        <span class="new-number" data-line={newLine} />
      </button>
      <span class="sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <code ref={code}>{text}</code>
    </div>
  );
}

/** `isMore` extends what is selected in the same hunk. */
function selectLine(
  changes: Changes,
  { file, hunk, index }: Extract<ChangeRow, { kind: "line" }>,
  isMore: boolean,
): void {
  const { value: before } = changes.selection;
  const anchor = isMore && before?.hunk === hunk ? before.anchor : index;
  changes.selection.value = { file, hunk, anchor, from: Math.min(anchor, index), to: Math.max(anchor, index) };
}

/** Marks as ranges, so that the line stays one text for find and copy. */
function markWords(
  element: HTMLElement,
  { hunk, index }: Extract<ChangeRow, { kind: "line" }>,
): (() => void) | undefined {
  const { firstChild: node } = element;
  const { kind, text } = hunk.lines[index]!;
  // Control characters are shown as escapes, which have other lengths.
  if (!(node instanceof Text) || node.data !== text || !("highlights" in CSS)) return undefined;
  const marks = wordMarks(hunk, index).map(
    ({ start, end }) =>
      new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end }),
  );
  if (marks.length === 0) return undefined;
  const name = kind === "added" ? "word-added" : "word-removed";
  const highlight = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, highlight);
  for (const mark of marks) highlight.add(mark);
  return () => {
    for (const mark of marks) highlight.delete(mark);
  };
}
