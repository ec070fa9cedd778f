/**
 * The connection to a session's terminal. A reconnect continues at the last byte if the runner still has it, else with a snapshot.
 * Shown bytes are acknowledged, so that the runner drops excess output instead of this browser buffering it.
 */

const RETRY_MS = 500;
const MAX_RETRY_MS = 5000;

/** Acknowledges in steps, to limit the number of messages during a flood. */
const ACKNOWLEDGE_EVERY_BYTES = 32 * 1024;

/** Limits input buffered before the first connection. */
const MAX_EARLY = 200;

/** A snapshot's size follows it immediately; output that only looks like a snapshot waits this long. */
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
  /** The number of output bytes received; known after the first snapshot. */
  #seq: number | undefined;
  #incarnation = "";
  #received = 0;
  #acknowledged = 0;
  #size: { cols: number; rows: number } | undefined;
  #isFirst = true;
  #isHidden = false;
  readonly #early: Uint8Array<ArrayBuffer>[] = [];
  /** Data shown without a size; it is drawn again if it was a snapshot. */
  #unsized: Uint8Array | undefined;
  /** A snapshot whose size has not arrived. */
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

  /** Input is buffered before the first connection only: after a reconnect it could reach another process. */
  sendBinary(data: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(data);
    else if (this.#isFirst && this.#early.length < MAX_EARLY) this.#early.push(data);
  }

  /** Reports the window's size; it applies if this viewer controls the size. */
  propose(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.#tellSize();
  }

  /** A hidden page does not affect the terminal's size. */
  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    if (isHidden) this.#control({ type: "hidden" });
    else this.#tellSize();
  }

  /** Takes control of the terminal's size. */
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
    // Selecting a session takes control of its size; a reconnect does not.
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

  /** Shows a snapshot that waited for its size. */
  #hand(): void {
    const picture = this.#picture;
    if (picture === undefined) return;
    clearTimeout(picture.timer);
    this.#picture = undefined;
    this.#listener.onBytes(picture.bytes, picture.shown);
  }

  /** The size is late, or the data is not a snapshot. */
  #handUnsized(): void {
    this.#unsized = this.#picture?.bytes;
    this.#hand();
  }

  #heard({ type, cols, rows, seq, incarnation }: Control): void {
    if (type === "exit") return this.#end();
    if (type !== "terminal_resize" || cols === undefined || rows === undefined) return;
    // A snapshot comes with its offset in the output.
    if (seq !== undefined) this.#seq = seq;
    if (incarnation !== undefined) this.#incarnation = incarnation;
    this.#listener.onSize(cols, rows);
    this.#hand();
    // Drawn at another size, its lines may have scrolled off; a later resize does not restore them.
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

/** A snapshot begins with a reset. Program output may too, and is then delayed briefly. */
export function isPicture(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1b && bytes[1] === 0x63;
}
