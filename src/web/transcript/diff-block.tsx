/** A line diff of a file change. */
import { diffLines } from "diff";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Edit } from "../../core/tool-edits.ts";
import { useCodeColours } from "../ui/code-colours.ts";

const MAX_LINES = 400;
/** Longer texts are shown as removed and added, because the diff would block the page. */
const MAX_COMPARED = 200_000;

interface Line {
  sign: "+" | "-" | " " | "@";
  text: string;
}

export function DiffBlock({ edit }: { edit: Edit }): JSX.Element {
  const lines = linesOf(edit);
  const added = lines.filter(({ sign }) => sign === "+").length;
  const removed = lines.filter(({ sign }) => sign === "-").length;
  const shown = lines.slice(0, MAX_LINES);
  const block = useRef<HTMLPreElement>(null);
  const [, ending = ""] = /\.(\w+)$/.exec(edit.path) ?? [];
  const code = shown.map(({ text }) => text).join("\n");
  useCodeColours(block, code, ending, CODE_LINES);
  return (
    <figure class="diff">
      <figcaption>
        <span class="path">{edit.path}</span>
        <span class="added">+{added}</span> <span class="removed">−{removed}</span>
      </figcaption>
      <pre ref={block}>
        {shown.map(({ sign, text }, index) => (
          <span key={index} class={CLASSES[sign]}>
            {`${sign === "@" ? "" : sign}${text}\n`}
          </span>
        ))}
        {lines.length > MAX_LINES ? <span class="muted">{`… ${lines.length - MAX_LINES} more lines\n`}</span> : null}
      </pre>
    </figure>
  );
}

/** Lines begin with a sign. */
const CODE_LINES = { selector: ".line-added, .line-removed, .line-same", skip: 1 };

const CLASSES = { "+": "line-added", "-": "line-removed", " ": "line-same", "@": "line-place" };

function linesOf(edit: Edit): Line[] {
  if (edit.kind === "patch") return edit.patch.split("\n").map(patchLine);
  if (edit.kind === "write") return split(edit.after).map((text) => ({ sign: "+", text }));
  const { before, after } = edit;
  if (before.length + after.length > MAX_COMPARED) {
    return [
      ...split(before).map((text): Line => ({ sign: "-", text })),
      ...split(after).map((text): Line => ({ sign: "+", text })),
    ];
  }
  return diffLines(before, after).flatMap(({ value, added, removed }) =>
    split(value).map((text): Line => ({ sign: added ? "+" : removed ? "-" : " ", text })),
  );
}

function patchLine(line: string): Line {
  if (/^(?:\*\*\*|@@|diff |index |--- |\+\+\+ )/.test(line)) return { sign: "@", text: line };
  const [sign = " "] = line;
  return sign === "+" || sign === "-" ? { sign, text: line.slice(1) } : { sign: " ", text: line.replace(/^ /, "") };
}

function split(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}
