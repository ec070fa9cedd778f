/** Preformatted text with a copy button. */
import type { JSX } from "preact";
import { CopyButton } from "./copy-button.tsx";

export function CodeBlock({ text, language = "" }: { text: string; language?: string }): JSX.Element {
  return (
    <div class="code-block">
      <pre class="code" data-language={language}>
        {text}
      </pre>
      <CopyButton text={() => text} label="Copy" />
    </div>
  );
}
