/** Key bindings of the page. They are off while a field or a terminal has the focus. */
import { openLaunch } from "../launch/launch-dialog.tsx";
import { attention } from "../state/projection.ts";
import { go, route } from "../state/route.ts";
import { select } from "../state/selection.ts";
import { openKeyHelp } from "./key-help.tsx";
import { openPalette } from "./palette.tsx";

const GO: Record<string, string> = { o: "/overview", c: "/cost", s: "/search", l: "/sessions" };

export function startKeys(): void {
  let isGoing = false;
  addEventListener("keydown", (event) => {
    const isPalette = (event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === "k";
    if (isPalette) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.key === "Escape" && event.shiftKey) {
      event.preventDefault();
      focusList();
      return;
    }
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    // On an unknown address the user may still type what was meant for a terminal.
    if (document.querySelector("[data-no-keys]") !== null) return;
    const target = isGoing ? GO[event.key] : undefined;
    isGoing = event.key === "g";
    if (target !== undefined) go(target);
    else if (!act(event.key)) return;
    event.preventDefault();
  });
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, dialog[open]") !== null;
}

function act(key: string): boolean {
  switch (key) {
    case "j":
      move(1);
      return true;
    case "k":
      move(-1);
      return true;
    case "/":
      if (route.value.view === "search" || route.value.view === "sessions")
        document.querySelector<HTMLInputElement>("#search")?.focus();
      else document.querySelector<HTMLInputElement>("#filter")?.focus();
      return true;
    case "n":
      openLaunch();
      return true;
    case "a": {
      const first = attention.value.find(
        ({ place, reason }) => place === undefined && !["budget", "queue", "conflict"].includes(reason),
      );
      if (first !== undefined) select(first.session_id);
      return true;
    }
    case "t":
      document.querySelector<HTMLElement>(".term-box textarea")?.focus();
      return true;
    case "?":
      openKeyHelp();
      return true;
    default:
      return false;
  }
}

function rowButtons(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(".sidebar .row-main")];
}

function focusList(): void {
  const rows = rowButtons();
  (rows.find((row) => row.getAttribute("aria-current") === "true") ?? rows[0])?.focus();
}

/** Moves the focus in the list; Enter selects. */
function move(step: number): void {
  const rows = rowButtons();
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row === document.activeElement);
  const from = at >= 0 ? at : rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  const next = rows[Math.min(Math.max(from + step, 0), rows.length - 1)]!;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}
