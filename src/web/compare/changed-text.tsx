/** A word diff of a changed message, in two columns. */
import { diffWordsWithSpace } from "diff";
import type { ComponentChildren, JSX } from "preact";

/** Longer messages are not compared, because the diff would block the page. */
const MAX_COMPARED = 20_000;

export interface ChangedTextProps {
  before: string;
  after: string;
  left: ComponentChildren;
  right: ComponentChildren;
}

export function ChangedText({ before, after, left, right }: ChangedTextProps): JSX.Element {
  const isLong = before.length + after.length > MAX_COMPARED;
  const parts = isLong ? [] : diffWordsWithSpace(before, after);
  return (
    <>
      <div class="side">
        {left}
        <pre class="prose">
          {isLong
            ? before
            : parts.map((part, index) =>
                part.added ? null : part.removed ? <del key={index}>{part.value}</del> : part.value,
              )}
        </pre>
      </div>
      <div class="side">
        {right}
        <pre class="prose">
          {isLong
            ? after
            : parts.map((part, index) =>
                part.removed ? null : part.added ? <ins key={index}>{part.value}</ins> : part.value,
              )}
        </pre>
      </div>
    </>
  );
}
