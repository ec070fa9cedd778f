import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TerminalLine } from "./connection.ts";

/** A socket that the test drives. */
class Line extends EventTarget {
  static readonly OPEN = 1;
  static last: Line;
  readyState = Line.OPEN;
  binaryType = "";

  readonly address: string;
  readonly said: unknown[] = [];

  constructor(address: string) {
    super();
    this.address = address;
    Line.last = this;
  }

  send(data: unknown): void {
    if (typeof data === "string") this.said.push(JSON.parse(data));
  }

  close(): void {
    this.dispatchEvent(new Event("close"));
  }

  say(data: string | object): void {
    const isBytes = typeof data === "string";
    const message = isBytes ? new TextEncoder().encode(data).buffer : JSON.stringify(data);
    this.dispatchEvent(new MessageEvent("message", { data: message }));
  }
}

const PICTURE = "\u001bcpicture";
const SIZE = { type: "terminal_resize", cols: 100, rows: 40 };
const PLACE = { seq: 7, incarnation: "a" };

let shown: string[];
let line: TerminalLine;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Line);
  vi.stubGlobal("location", { protocol: "http:", host: "here" });
  shown = [];
  line = new TerminalLine("sess-1", undefined, {
    onBytes: (bytes) => void shown.push(new TextDecoder().decode(bytes).replace("\u001bc", "")),
    onSize: (cols, rows) => void shown.push(`${cols}x${rows}`),
    onState: () => undefined,
  });
});

afterEach(() => {
  line.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("shows a snapshot at its size", () => {
  Line.last.say(PICTURE);
  expect(shown).toEqual([]);
  Line.last.say({ ...SIZE, ...PLACE });
  Line.last.say("more");
  expect(shown).toEqual(["100x40", "picture", "more"]);
});

it("redraws a snapshot whose size arrived late", () => {
  Line.last.say(PICTURE);
  vi.advanceTimersByTime(1000);
  expect(shown).toEqual(["picture"]);
  Line.last.say({ ...SIZE, ...PLACE });
  Line.last.say({ ...SIZE, ...PLACE });
  expect(shown).toEqual(["picture", "100x40", "picture", "100x40"]);
});

it("shows a program's own reset once, whatever size comes after it", () => {
  Line.last.say({ ...SIZE, ...PLACE });
  Line.last.say("\u001bccleared");
  vi.advanceTimersByTime(1000);
  Line.last.say(SIZE);
  Line.last.say("prompt");
  Line.last.say({ ...SIZE, ...PLACE });
  expect(shown).toEqual(["100x40", "cleared", "100x40", "prompt", "100x40"]);
});

it("continues after a reconnect where it stopped", () => {
  Line.last.say(PICTURE);
  Line.last.say({ ...SIZE, ...PLACE });
  Line.last.say("12345");
  Line.last.close();
  vi.advanceTimersByTime(1000);
  expect(new URL(Line.last.address).searchParams.get("since")).toBe("12");
});

it("a hidden page gives its size up, and tells it again only when it is shown", () => {
  line.propose(50, 20);
  line.setHidden(true);
  line.propose(51, 20);
  line.setHidden(false);
  expect(Line.last.said).toEqual([
    { type: "resize", cols: 50, rows: 20 },
    { type: "hidden" },
    { type: "resize", cols: 51, rows: 20 },
  ]);
});
