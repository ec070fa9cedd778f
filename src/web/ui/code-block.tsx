/** Preformatted text with colours and a copy button. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useCodeColours } from "./code-colours.ts";
import { CopyButton } from "./copy-button.tsx";

export function CodeBlock({ text, language = "" }: { text: string; language?: string }): JSX.Element {
  const block = useRef<HTMLPreElement>(null);
  useCodeColours(block, text, language);
  return (
    <div class="code-block">
      <pre class="code" data-language={language} ref={block}>
        {text}
      </pre>
      <CopyButton text={() => text} label="Copy" />
    </div>
  );
}
