import type { ComponentChildren, JSX } from "preact";
import type { Stretch } from "../../client/daemon-api.ts";

/** Text with highlighted search terms. */
export function Marked({ text, marks }: { text: string; marks: readonly Stretch[] }): JSX.Element {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    if (start < at) continue;
    parts.push(text.slice(at, start), <mark>{text.slice(start, end)}</mark>);
    at = end;
  }
  parts.push(text.slice(at));
  return <>{parts}</>;
}
