/** Keys that a phone's keyboard lacks. Ctrl and Alt apply to the next key. */
import type { JSX } from "preact";
import { cursorKeys } from "../../screen/cursor-keys.ts";
import type { Modifier, TerminalScreen } from "./screen.ts";

const KEYS: readonly { label: string; name: string; text: string }[] = [
  { label: "esc", name: "Escape", text: "\u001b" },
  { label: "tab", name: "Tab", text: "\t" },
  { label: "⇧tab", name: "Shift Tab", text: "\u001b[Z" },
  { label: "←", name: "Left", text: "\u001b[D" },
  { label: "↓", name: "Down", text: "\u001b[B" },
  { label: "↑", name: "Up", text: "\u001b[A" },
  { label: "→", name: "Right", text: "\u001b[C" },
  { label: "^C", name: "Interrupt", text: "\u0003" },
  { label: "⏎", name: "Enter", text: "\r" },
];

export function KeyBar({ screen }: { screen: TerminalScreen | null }): JSX.Element {
  const armed = screen?.armed.value ?? null;
  const toggle = (modifier: Modifier): void => {
    if (screen === null) return;
    screen.armed.value = armed === modifier ? null : modifier;
    screen.terminal.focus();
  };
  return (
    <div class="key-bar" role="toolbar" aria-label="Terminal keys">
      {(["ctrl", "alt"] as const).map((modifier) => (
        <button key={modifier} type="button" aria-pressed={armed === modifier} onClick={() => toggle(modifier)}>
          {modifier}
        </button>
      ))}
      {KEYS.map(({ label, name, text }) => (
        <button key={name} type="button" aria-label={name} onClick={() => press(screen, text)}>
          {label}
        </button>
      ))}
    </div>
  );
}

function press(screen: TerminalScreen | null, text: string): void {
  screen?.type(cursorKeys(text, screen.terminal.modes.applicationCursorKeysMode));
  screen?.terminal.focus();
}
