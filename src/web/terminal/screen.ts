/**
 * A terminal on the page: emulator, size, connection, and the limits of what programs can do. All output is untrusted:
 * it can draw, and nothing else.
 */
import { signal } from "@preact/signals";
import type { FitAddon, ITerminalOptions, SearchAddon, Terminal } from "./xterm-types.ts";
import { isPicture, TerminalLine, type LineState } from "./connection.ts";
import { LinkPolicy } from "./links.ts";
import { clipboardRequest } from "./clipboard.ts";
import { hasGraphicsCard } from "./graphics-card.ts";
import { PacedWriter } from "./paced-writer.ts";
import { patchTerminal } from "./xterm-patches.ts";

/** The reset comes first, because it would end a synchronized update. */
const RESET_AND_BEGIN_UPDATE = "\u001bc\u001b[?2026h";
const END_UPDATE = "\u001b[?2026l";
const SCROLLBACK_LINES = 5000;
const MIN_COLS = 2;
const MIN_ROWS = 2;

export type Modifier = "ctrl" | "alt" | null;

export interface ScreenEvents {
  onState(state: LineState): void;
  /** The program's size, and the size that fits this window. */
  onSize(size: { cols: number; rows: number; fits: boolean }): void;
  /** A program requests to copy text. */
  onCopy(text: string): void;
  /** A link whose text differs from its address. */
  onLink(address: string): void;
}

export interface ScreenOptions {
  element: HTMLElement;
  options: ITerminalOptions;
  events: ScreenEvents;
}

export class TerminalScreen {
  readonly terminal: Terminal;
  readonly search: SearchAddon;
  /** Applies to the next key, because phones have no Ctrl. */
  readonly armed = signal<Modifier>(null);
  readonly #fit: FitAddon;
  readonly #element: HTMLElement;
  readonly #events: ScreenEvents;
  readonly #observer: ResizeObserver;
  readonly #writer: PacedWriter;
  #line: TerminalLine | undefined;
  #disposed = false;
  readonly #leaving = new AbortController();
  /** The size that fits this window. */
  #room = { cols: 0, rows: 0 };

  static async open({ element, options, events }: ScreenOptions): Promise<TerminalScreen> {
    return new TerminalScreen(await import("./xterm.ts"), element, options, events);
  }

  private constructor(
    xterm: typeof import("./xterm.ts"),
    element: HTMLElement,
    options: ITerminalOptions,
    events: ScreenEvents,
  ) {
    this.#element = element;
    this.#events = events;
    const links = new LinkPolicy((address) => events.onLink(address));
    this.terminal = new xterm.Terminal({
      allowProposedApi: true,
      scrollback: SCROLLBACK_LINES,
      macOptionIsMeta: true,
      cursorBlink: false,
      linkHandler: links.named,
      ...options,
    });
    this.#fit = new xterm.FitAddon();
    this.search = new xterm.SearchAddon();
    this.terminal.loadAddon(this.#fit);
    this.terminal.loadAddon(this.search);
    this.terminal.loadAddon(new xterm.WebLinksAddon(links.open));
    this.terminal.loadAddon(new xterm.UnicodeGraphemesAddon());
    this.terminal.parser.registerOscHandler(52, (data) => {
      const text = clipboardRequest(data);
      if (text !== undefined) events.onCopy(text);
      return true;
    });
    this.#writer = new PacedWriter((bytes, done) => this.terminal.write(bytes, done));
    this.terminal.open(element);
    patchTerminal(this.terminal, () => this.#disposed);
    this.#drawFast(xterm);
    this.#observer = new ResizeObserver(() => this.refit());
    this.#observer.observe(element);
  }

  /** Uses the WebGL renderer; without a GPU, or after a lost context, the DOM renderer. */
  #drawFast(xterm: typeof import("./xterm.ts")): void {
    this.#element.dataset["drawing"] = "elements";
    if (!hasGraphicsCard()) return;
    try {
      const webgl = new xterm.WebglAddon();
      webgl.onContextLoss(() => webgl.dispose());
      this.terminal.loadAddon(webgl);
      this.#element.dataset["drawing"] = "webgl";
    } catch {
      // The DOM renderer is slower, but complete.
    }
  }

  /** Connects to a running session. */
  attach(id: string, pty: string | undefined): void {
    const line = new TerminalLine(id, pty, {
      onBytes: (bytes, shown) => this.#show(bytes, shown),
      onSize: (cols, rows) => this.#sized(cols, rows),
      onState: (state) => this.#events.onState(state),
    });
    this.#line = line;
    this.terminal.onData((data) => line.send(this.#modified(data)));
    this.terminal.onBinary((data) => line.sendBinary(Uint8Array.from(data, (letter) => letter.charCodeAt(0))));
    this.terminal.textarea?.addEventListener("focus", () => line.claim());
    const hidden = (): void => line.setHidden(document.visibilityState === "hidden");
    document.addEventListener("visibilitychange", hidden, { signal: this.#leaving.signal });
    this.refit();
  }

  /** Shows the output of an ended session. */
  replay(bytes: Uint8Array, cols: number, rows: number): void {
    this.terminal.resize(Math.max(cols, MIN_COLS), Math.max(rows, MIN_ROWS));
    this.#show(bytes, () => undefined);
  }

  type(text: string): void {
    this.terminal.input(text, true);
  }

  /** Resizes the program's terminal to this window. */
  takeOver(): void {
    this.refit();
    // Taking control counts as looking at the page, even if the browser reports it hidden.
    this.#line?.setHidden(false);
    this.#line?.claim();
    this.terminal.focus();
  }

  refit(): void {
    const size = this.#fit.proposeDimensions();
    if (this.#disposed || size === undefined || Number.isNaN(size.cols)) return;
    const cols = Math.max(size.cols, MIN_COLS);
    const rows = Math.max(size.rows, MIN_ROWS);
    if (cols !== this.#room.cols || rows !== this.#room.rows) this.#line?.propose(cols, rows);
    this.#room = { cols, rows };
    this.#tellSize();
  }

  dispose(): void {
    this.#disposed = true;
    this.#leaving.abort();
    this.#observer.disconnect();
    this.#writer.close();
    this.#line?.close();
    this.terminal.dispose();
  }

  #modified(data: string): string {
    const { value } = this.armed;
    if (value === null || data.length !== 1) return data;
    this.armed.value = null;
    return value === "alt" ? `\u001b${data}` : controlOf(data);
  }

  /** Resizes in order with the output: earlier output was written for the earlier size. */
  #sized(cols: number, rows: number): void {
    this.#writer.push("", () => {
      if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows);
      this.#tellSize();
    });
  }

  #tellSize(): void {
    const { cols, rows } = this.terminal;
    this.#events.onSize({ cols, rows, fits: cols === this.#room.cols && rows === this.#room.rows });
  }

  /** A snapshot begins with a reset. It is drawn as one update to avoid flicker. */
  #show(bytes: Uint8Array, shown: () => void): void {
    if (this.#disposed) return;
    if (!isPicture(bytes)) return this.#writer.push(bytes, shown);
    this.#writer.push(RESET_AND_BEGIN_UPDATE);
    this.#writer.push(bytes.subarray(2));
    this.#writer.push(END_UPDATE, shown);
  }
}

function controlOf(key: string): string {
  const code = key.toUpperCase().charCodeAt(0);
  return code >= 64 && code < 96 ? String.fromCharCode(code - 64) : key;
}
