/** The list of key bindings. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

const KEYS: readonly [keys: string, does: string][] = [
  ["Ctrl K", "command palette"],
  ["a", "go to the session that needs you"],
  ["j k", "down and up the list; Enter opens"],
  ["Alt ↑ ↓", "move a session in the list"],
  ["/", "filter the list"],
  ["n", "new session"],
  ["t", "focus the terminal"],
  ["Shift Esc", "leave the terminal"],
  ["g o", "overview"],
  ["g l", "all sessions in a table"],
  ["g s", "search all conversations"],
  ["g c", "cost"],
  ["Home End", "the beginning and the end of a conversation"],
  ["Ctrl Shift F", "find in a terminal"],
  ["Ctrl V", "paste into a terminal"],
  ["Shift Enter", "a new line for the agent"],
  ["?", "show these keys"],
];

const isOpen = signal(false);

export function openKeyHelp(): void {
  isOpen.value = true;
}

export function KeyHelp(): JSX.Element | null {
  if (!isOpen.value) return null;
  const close = (): void => void (isOpen.value = false);
  return (
    <Dialog label="Keys" onClose={close} class="key-help">
      <header class="dialog-head">
        <h2>Keys</h2>
        <IconButton icon="close" label="Close" onClick={close} />
      </header>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
