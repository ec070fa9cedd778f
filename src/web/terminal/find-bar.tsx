/** The find bar of a terminal. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isDark } from "../state/preferences.ts";
import { IconButton } from "../ui/button.tsx";
import type { TerminalScreen } from "./screen.ts";
import { findColours } from "./theme.ts";

export function FindBar({ screen, onClose }: { screen: TerminalScreen; onClose(): void }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const text = useSignal("");
  const found = useSignal("");
  useEffect(() => {
    field.current!.focus();
    const results = screen.search.onDidChangeResults(({ resultIndex, resultCount }) => {
      found.value = resultCount === 0 ? "none" : `${resultIndex + 1} of ${resultCount}`;
    });
    return () => {
      results.dispose();
      screen.search.clearDecorations();
      screen.terminal.focus();
    };
  }, []);
  const next = (): void => void screen.search.findNext(text.value, { decorations: findColours(isDark()) });
  const previous = (): void => void screen.search.findPrevious(text.value, { decorations: findColours(isDark()) });
  return (
    <form
      class="find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        previous();
      }}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <input
        ref={field}
        class="field small"
        placeholder="Find in terminal"
        aria-label="Find in terminal"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          if (text.value === "") found.value = "";
          else previous();
        }}
      />
      <span class="muted" role="status">
        {found.value}
      </span>
      <IconButton icon="up" label="Previous" onClick={previous} />
      <IconButton icon="down" label="Next" onClick={next} />
      <IconButton icon="close" label="Close" onClick={onClose} />
    </form>
  );
}
