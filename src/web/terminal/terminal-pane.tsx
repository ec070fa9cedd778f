/** A terminal of a running session with size hint, find bar, paste and copy requests. */
import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../state/api.ts";
import { isDark, isNarrow, terminalFont } from "../state/preferences.ts";
import { choices } from "../state/selection.ts";
import { attempt, tell } from "../ui/notices.ts";
import type { LineState } from "./connection.ts";
import { FindBar } from "./find-bar.tsx";
import { handlesKey } from "./keys.ts";
import { openOutside } from "./links.ts";
import { TerminalScreen } from "./screen.ts";
import { terminalTheme } from "./theme.ts";

const FONT =
  'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

interface Size {
  cols: number;
  rows: number;
  fits: boolean;
}

export interface TerminalPaneProps {
  id: string;
  /** Defaults to the main terminal. */
  pty?: string | undefined;
  takesFocus: boolean;
  /** All open terminals, the one used last first. */
  open: Signal<readonly TerminalScreen[]>;
  /** The program has exited. */
  onEnd(): void;
}

export function TerminalPane({ id, pty, takesFocus, open, onEnd }: TerminalPaneProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const screen = useSignal<TerminalScreen | null>(null);
  const state = useSignal<LineState>("connecting");
  const size = useSignal<Size | null>(null);
  const isFinding = useSignal(false);
  useEffect(() => {
    let current: TerminalScreen | undefined;
    let left = false;
    const opening = TerminalScreen.open({
      element: element.current!,
      options: terminalOptions(),
      events: {
        onState: (value) => {
          state.value = value;
          if (value === "ended") onEnd();
        },
        onSize: (value) => (size.value = value),
        onCopy: offerCopy,
        onLink: offerLink,
      },
    });
    void opening.then((opened) => {
      if (left) return opened.dispose();
      current = opened;
      prepare(opened, () => (isFinding.value = true));
      opened.attach(id, pty);
      screen.value = opened;
      open.value = takesFocus ? [opened, ...open.peek()] : [...open.peek(), opened];
      if (takesFocus) opened.terminal.focus();
      return undefined;
    });
    return () => {
      left = true;
      open.value = open.peek().filter((other) => other !== current);
      current?.dispose();
      screen.value = null;
    };
  }, [id, pty]);
  const chosen = choices.value;
  useEffect(() => {
    if (takesFocus) screen.peek()?.terminal.focus();
  }, [chosen, takesFocus]);
  const dark = isDark();
  useEffect(() => {
    if (screen.value !== null) screen.value.terminal.options.theme = terminalTheme(dark);
  }, [dark, screen.value]);
  return (
    <div class="pane" data-state={state.value}>
      {isFinding.value && screen.value !== null ? (
        <FindBar screen={screen.value} onClose={() => (isFinding.value = false)} />
      ) : null}
      <div
        class={`term-box ${size.value?.fits === false ? "larger" : ""}`}
        ref={element}
        onFocusIn={() => moveToFront(screen.peek(), open)}
        onPasteCapture={(event) => pasteFiles(event, id, screen)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void sendFiles([...(event.dataTransfer?.files ?? [])], id, screen);
        }}
      />
      {state.value === "lost" ? <p class="pill">Connection lost, trying again …</p> : null}
      {state.value === "open" && size.value?.fits === false ? (
        <button type="button" class="pill" onClick={() => screen.value?.takeOver()}>
          Sized for another viewer ({size.value.cols}×{size.value.rows}) · <u>take over</u>
        </button>
      ) : null}
    </div>
  );
}

function moveToFront(screen: TerminalScreen | null, open: Signal<readonly TerminalScreen[]>): void {
  if (screen !== null) open.value = [screen, ...open.peek().filter((other) => other !== screen)];
}

export function terminalOptions(): { theme: ReturnType<typeof terminalTheme>; fontFamily: string; fontSize: number } {
  return {
    theme: terminalTheme(isDark()),
    fontFamily: FONT,
    fontSize: terminalFont.value || (isNarrow.value ? 12 : 13),
  };
}

function prepare(screen: TerminalScreen, find: () => void): void {
  screen.terminal.attachCustomKeyEventHandler((event) => handlesKey(event, screen, find));
}

/** A program cannot write to the clipboard; the user confirms. */
function offerCopy(text: string): void {
  const close = tell(`The program wants to copy ${text.length} characters`, {
    action: {
      label: "Copy",
      run: () => {
        void attempt(() => navigator.clipboard.writeText(text));
        close();
      },
    },
  });
}

function offerLink(address: string): void {
  const close = tell(`Link to ${address.slice(0, 200)}`, {
    action: {
      label: "Open",
      run: () => {
        openOutside(address);
        close();
      },
    },
  });
}

/** Pasted text goes to the terminal; files are uploaded and their path is typed. */
function pasteFiles(event: ClipboardEvent, id: string, screen: Signal<TerminalScreen | null>): void {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  void sendFiles(files, id, screen);
}

async function sendFiles(files: readonly File[], id: string, screen: Signal<TerminalScreen | null>): Promise<void> {
  for (const file of files) {
    await attempt(async () => {
      const { path } = await api.keepPaste(id, file);
      screen.value?.terminal.paste(`${path} `);
    });
  }
}
