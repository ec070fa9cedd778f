import type { JSX } from "preact";

/** A problem with what the user entered or asked for; nothing while there is none. */
export function Problem({ text }: { text: string }): JSX.Element | null {
  if (text === "") return null;
  return (
    <p class="bad" role="alert">
      {text}
    </p>
  );
}
