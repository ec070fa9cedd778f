/** Keys the page handles while a terminal has the focus; all others go to the program. */
import type { TerminalScreen } from "./screen.ts";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** False if the terminal must not get the key. */
export function handlesKey(event: KeyboardEvent, screen: TerminalScreen, find: () => void): boolean {
  if (event.type !== "keydown") return true;
  const { terminal } = screen;
  const isCommand = isMac ? event.metaKey : event.ctrlKey && event.shiftKey;
  const key = event.key.toLowerCase();
  if (isCommand && key === "f") return taken(event, find);
  if (isCommand && key === "c" && terminal.hasSelection()) return taken(event, () => copySelection(screen));
  // With a selection Ctrl+C copies; without one it interrupts.
  if (!isMac && event.ctrlKey && !event.shiftKey && !event.altKey && key === "c" && terminal.hasSelection()) {
    return taken(event, () => copySelection(screen));
  }
  // The browser pastes. Programs that use Ctrl+V to quote a key also accept Ctrl+Q.
  if (key === "v" && !event.altKey && (isMac ? event.metaKey : event.ctrlKey)) return false;
  if (event.key === "Enter" && event.shiftKey) return taken(event, () => screen.type("\n"));
  // Page shortcuts: the palette, and moving the focus to the list.
  if ((event.metaKey || event.ctrlKey) && !event.altKey && key === "k") return false;
  return !(event.key === "Escape" && event.shiftKey);
}

function taken(event: KeyboardEvent, act: () => void): false {
  event.preventDefault();
  act();
  return false;
}

function copySelection({ terminal }: TerminalScreen): void {
  const text = terminal.getSelection().replaceAll(/[ \t]+$/gm, "");
  void navigator.clipboard.writeText(text);
  terminal.clearSelection();
}
