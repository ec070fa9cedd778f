/**
 * The line to a session's terminal. What comes is handed on in order; after a break it goes on from the byte where it
 * broke, when the runner still has it, else with a picture of everything. What was shown is acknowledged, so that a flood
 * is cut short at the runner and not in this browser's memory.
 */

const RETRY_MS = 500;
const MAX_RETRY_MS = 5000;

/** Shown bytes are acknowledged in steps: a word for each of a flood's messages would be a flood of its own. */
const ACKNOWLEDGE_EVERY_BYTES = 32 * 1024;

/** Keys and pastes; nobody types more before a line is there. */
const MAX_EARLY = 200;

/** The size of a picture comes right after it; what looks like one and is none waits no longer. */
const SIZE_WITHIN_MS = 60;

export type LineState = "connecting" | "open" | "lost" | "ended";

export interface LineListener {
  /** Calls `shown` when the bytes are on the screen. */
  onBytes(bytes: Uint8Array, shown: () => void): void;
  onSize(cols: number, rows: number): void;
  onState(state: LineState): void;
}

interface Control {
  type: string;
  cols?: number;
  rows?: number;
  seq?: number;
  incarnation?: string;
}

export class TerminalLine {
  readonly #id: string;
  readonly #pty: string | undefined;
  readonly #listener: LineListener;
  #socket: WebSocket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryMs = RETRY_MS;
  #ended = false;
  /** How many bytes of the program's output have come; known after the first picture. */
  #seq: number | undefined;
  #incarnation = "";
  #received = 0;
  #acknowledged = 0;
  #size: { cols: number; rows: number } | undefined;
  #isFirst = true;
  #isHidden = false;
  readonly #early: Uint8Array<ArrayBuffer>[] = [];
  /** What was shown without a size: it is shown again if it was a picture after all. */
  #unsized: Uint8Array | undefined;
  /** A picture whose size has not come yet. */
  #picture: { bytes: Uint8Array; timer: ReturnType<typeof setTimeout>; shown(): void } | undefined;

  constructor(id: string, pty: string | undefined, listener: LineListener) {
    this.#id = id;
    this.#pty = pty;
    this.#listener = listener;
    this.#connect();
  }

  send(data: string): void {
    this.sendBinary(new TextEncoder().encode(data));
  }

  /** What is typed before the line is there for the first time is kept; after a break it could reach another process. */
  sendBinary(data: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(data);
    else if (this.#isFirst && this.#early.length < MAX_EARLY) this.#early.push(data);
  }

  /** The window has this size; the terminal takes it when it is ours to say. */
  propose(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.#tellSize();
  }

  /** While nobody looks at the page, its window counts for nobody else's terminal. */
  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    if (isHidden) this.#control({ type: "hidden" });
    else this.#tellSize();
  }

  /** Takes the size over from whoever has it. */
  claim(): void {
    this.#control({ type: "focus" });
  }

  close(): void {
    this.#ended = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #tellSize(): void {
    if (this.#size !== undefined && !this.#isHidden) this.#control({ type: "resize", ...this.#size });
  }

  #control(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #connect(): void {
    const query = new URLSearchParams({ ack: "1" });
    if (this.#pty !== undefined) query.set("pty", this.#pty);
    if (this.#seq !== undefined) {
      query.set("since", String(this.#seq));
      query.set("of", this.#incarnation);
    }
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws/${this.#id}?${query.toString()}`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#received = 0;
    this.#acknowledged = 0;
    socket.addEventListener("open", () => this.#opened());
    socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data === "string") this.#heard(JSON.parse(data) as Control);
      else this.#took(new Uint8Array(data));
    });
    socket.addEventListener("close", () => this.#closed());
  }

  #opened(): void {
    this.#retryMs = RETRY_MS;
    this.#listener.onState("open");
    this.#tellSize();
    // Choosing a session is taking it over; coming back after a break is not.
    if (this.#isFirst) this.claim();
    this.#isFirst = false;
    for (const data of this.#early.splice(0)) this.#socket?.send(data);
  }

  #took(bytes: Uint8Array): void {
    const socket = this.#socket;
    this.#received += bytes.length;
    const until = this.#received;
    const acknowledge = (): void => {
      if (socket !== this.#socket || until - this.#acknowledged < ACKNOWLEDGE_EVERY_BYTES) return;
      this.#acknowledged = until;
      this.#control({ type: "ack", bytes: until });
    };
    if (this.#seq !== undefined) this.#seq += bytes.length;
    this.#hand();
    this.#unsized = undefined;
    if (isPicture(bytes)) {
      this.#picture = { bytes, timer: setTimeout(() => this.#handUnsized(), SIZE_WITHIN_MS), shown: acknowledge };
      return;
    }
    this.#listener.onBytes(bytes, acknowledge);
  }

  /** Shows a picture that was waiting for its size. */
  #hand(): void {
    const picture = this.#picture;
    if (picture === undefined) return;
    clearTimeout(picture.timer);
    this.#picture = undefined;
    this.#listener.onBytes(picture.bytes, picture.shown);
  }

  /** Its size is late, or it is none. */
  #handUnsized(): void {
    this.#unsized = this.#picture?.bytes;
    this.#hand();
  }

  #heard({ type, cols, rows, seq, incarnation }: Control): void {
    if (type === "exit") return this.#end();
    if (type !== "terminal_resize" || cols === undefined || rows === undefined) return;
    // With a picture comes the place in the output that it shows.
    if (seq !== undefined) this.#seq = seq;
    if (incarnation !== undefined) this.#incarnation = incarnation;
    this.#listener.onSize(cols, rows);
    this.#hand();
    // Drawn at another size it may have moved up and away, and making room for it does not bring it back.
    const late = seq === undefined ? undefined : this.#unsized;
    this.#unsized = undefined;
    if (late !== undefined) this.#listener.onBytes(late, () => undefined);
  }

  #end(): void {
    this.#ended = true;
    this.#listener.onState("ended");
    this.#socket?.close();
  }

  #closed(): void {
    if (this.#ended) return;
    this.#listener.onState("lost");
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
  }
}

/** A picture begins with a reset. So may a program's output, which then waits a moment for nothing. */
export function isPicture(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1b && bytes[1] === 0x63;
}
