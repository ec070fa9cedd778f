/** Plays a session's recording in a terminal: play, pause, seek, speed. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { parseCast, sizeIn, type Cast } from "../../protocol/cast.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { TerminalScreen } from "../terminal/screen.ts";
import { terminalOptions } from "../terminal/terminal-pane.tsx";
import type { Terminal } from "../terminal/xterm-types.ts";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { messageOf } from "../ui/notices.ts";
import { CastTimeline } from "./cast-timeline.ts";
import "../style/cast.css";
import { Problem } from "../ui/problem.tsx";

const SPEEDS = [0.5, 1, 2, 4, 8];
/** RIS, in order with what was written before. */
const RESET = "\u001bc";
/** The terminal takes 50 times as much before it throws output away. */
const PIECE_LENGTH = 1_000_000;

export function CastPlayer({ session, onClose }: { session: MuxSession; onClose(): void }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const player = useSignal<Player | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    let opened: Player | undefined;
    const leaving = new AbortController();
    const load = async (): Promise<void> => {
      const cast = await fetchCast(session.id, leaving.signal);
      const screen = await TerminalScreen.open({
        element: element.current!,
        options: { ...terminalOptions(), disableStdin: true },
        events: { onState: nothing, onSize: nothing, onCopy: nothing, onLink: nothing },
      });
      if (leaving.signal.aborted) return screen.dispose();
      opened = new Player(screen, cast, () => (tick.value = performance.now()));
      player.value = opened;
      opened.toggle();
    };
    load().catch((error: unknown) => {
      if (!leaving.signal.aborted) problem.value = messageOf(error);
    });
    return () => {
      leaving.abort();
      opened?.close();
    };
  }, [session.id]);
  const tick = useSignal(0);
  void tick.value;
  const shown = player.value;
  return (
    <Dialog label={`Recording of ${session.title}`} class="cast" onClose={onClose}>
      <header class="dialog-head">
        <h2>Recording of {session.title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <Problem text={problem.value} />
      <div class="cast-screen">
        <div class="term-box" ref={element} role="group" aria-label="Recorded screen" />
      </div>
      {shown === null ? null : <Controls player={shown} />}
    </Dialog>
  );
}

function Controls({ player }: { player: Player }): JSX.Element {
  const { position, length, isPlaying } = player;
  return (
    <div class="cast-controls">
      <IconButton
        icon={isPlaying ? "stop" : "play"}
        label={isPlaying ? "Pause" : "Play"}
        onClick={() => player.toggle()}
      />
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={`${clockOf(position)} of ${clockOf(length)}`}
        min={0}
        max={length}
        step={0.1}
        value={position}
        onInput={(event) => player.seek(Number(event.currentTarget.value))}
      />
      <span class="figure">
        {clockOf(position)} / {clockOf(length)}
      </span>
      <select
        class="picker"
        aria-label="Speed"
        value={player.speed}
        onChange={(event) => (player.speed = Number(event.currentTarget.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </select>
    </div>
  );
}

/** The position moves with the browser's frames; the terminal shows what was output until then. */
class Player {
  position = 0;
  isPlaying = false;
  speed = 1;
  readonly #screen: TerminalScreen;
  readonly #cast: Cast;
  readonly #timeline: CastTimeline;
  readonly #onChange: () => void;
  #shown = 0;
  /** The terminal has not parsed what was written yet. */
  #isWriting = false;
  #isOver = false;
  #frame = 0;
  #frameAt = 0;

  constructor(screen: TerminalScreen, cast: Cast, onChange: () => void) {
    this.#screen = screen;
    this.#cast = cast;
    this.#timeline = new CastTimeline(cast);
    this.#onChange = onChange;
    this.#begin();
    this.#show();
  }

  get length(): number {
    return this.#timeline.length;
  }

  toggle(): void {
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.position >= this.length) this.seek(0);
    cancelAnimationFrame(this.#frame);
    if (this.isPlaying) {
      this.#frameAt = performance.now();
      this.#frame = requestAnimationFrame(this.#next);
    }
    this.#onChange();
  }

  seek(seconds: number): void {
    this.position = seconds;
    this.#show();
    this.#onChange();
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#isOver = true;
    this.#screen.dispose();
  }

  readonly #next = (): void => {
    const now = performance.now();
    this.position = Math.min(this.length, this.position + ((now - this.#frameAt) / 1000) * this.speed);
    this.#frameAt = now;
    this.#show();
    if (this.position >= this.length) this.isPlaying = false;
    else this.#frame = requestAnimationFrame(this.#next);
    this.#onChange();
  };

  #begin(): void {
    const { width: cols, height: rows } = this.#cast.header;
    this.#shown = 0;
    this.#terminal.write(RESET);
    this.#resize({ cols, rows });
  }

  /** Writes a bounded piece at a time, and waits until it is parsed: the terminal throws away what comes too fast. */
  #show(): void {
    if (this.#isWriting || this.#isOver) return;
    const end = this.#timeline.countUntil(this.position);
    if (end < this.#shown) this.#begin();
    let text = "";
    let size: ReturnType<typeof sizeIn>;
    while (this.#shown < end && text.length < PIECE_LENGTH && size === undefined) {
      const event = this.#timeline.events[this.#shown++]!;
      if (event.kind === "o") text += event.text;
      else if (event.kind === "r") size = sizeIn(event.text);
    }
    if (text === "" && size === undefined) return;
    this.#isWriting = true;
    this.#terminal.write(text, () => {
      this.#isWriting = false;
      if (this.#isOver) return;
      if (size !== undefined) this.#resize(size);
      this.#show();
    });
  }

  get #terminal(): Terminal {
    return this.#screen.terminal;
  }

  #resize({ cols, rows }: { cols: number; rows: number }): void {
    this.#terminal.resize(Math.max(2, Math.min(cols, 500)), Math.max(2, Math.min(rows, 300)));
  }
}

async function fetchCast(id: string, signal: AbortSignal): Promise<Cast> {
  const response = await fetch(`/v1/sessions/${id}/cast`, { signal });
  const text = await response.text();
  const cast = response.ok ? parseCast(text) : undefined;
  if (cast === undefined) throw new Error(response.ok ? "The recording cannot be read." : refusalIn(text));
  return cast;
}

function refusalIn(text: string): string {
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    return "The recording cannot be read.";
  }
}

function clockOf(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function nothing(): void {
  // A recording needs no attention.
}
