/** The command palette (Ctrl+K): sessions, views and actions. */
import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "../ui/dialog.tsx";
import { commands, type PaletteCommand } from "./commands.ts";

const SHOWN = 12;

/** The first text; null while closed. */
const opened = signal<string | null>(null);

export function openPalette(text = ""): void {
  opened.value = text;
}

export function Palette(): JSX.Element | null {
  return opened.value === null ? null : <PaletteDialog first={opened.value} onClose={() => (opened.value = null)} />;
}

function PaletteDialog({ first, onClose }: { first: string; onClose(): void }): JSX.Element {
  const text = useSignal(first);
  const at = useSignal(0);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current!.focus(), []);
  const found = ranked(commands(text.value), text.value).slice(0, SHOWN);
  const index = Math.min(at.value, Math.max(0, found.length - 1));
  const run = (command: PaletteCommand | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      at.value = (index + step + found.length) % Math.max(1, found.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[index]);
    }
  };
  return (
    <Dialog label="Command palette" onClose={onClose} class="palette">
      <input
        ref={field}
        class="field large"
        placeholder="Search sessions and commands …"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length === 0 ? undefined : `palette-${index}`}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, position) => (
          <li
            key={command.key}
            id={`palette-${position}`}
            role="option"
            aria-selected={position === index}
            onClick={() => run(command)}
            onPointerMove={() => (at.value = position)}
          >
            <span class="palette-title">{command.title}</span>
            <span class="muted">{command.note}</span>
          </li>
        ))}
        {found.length === 0 ? <li class="empty small">No matches.</li> : null}
      </ul>
    </Dialog>
  );
}

/** Ranks matches in the title before matches in other terms, and word prefixes before substrings. */
function ranked(all: readonly PaletteCommand[], text: string): PaletteCommand[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const match = (where: string): number => {
    if (!words.every((word) => where.includes(word))) return 0;
    return words.every((word) => new RegExp(`(?:^|[\\s/:_-])${escaped(word)}`).test(where)) ? 2 : 1;
  };
  const score = ({ title, note, words: more = "", always }: PaletteCommand): number => {
    const name = match(title.toLowerCase());
    if (name > 0) return name + 2;
    return match(`${title} ${note} ${more}`.toLowerCase()) || (always === true ? 0 : -1);
  };
  return all
    .map((command) => ({ command, score: score(command) }))
    .filter((entry) => entry.score >= 0)
    .sort((a, b) => b.score - a.score)
    .map(({ command }) => command);
}

function escaped(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
