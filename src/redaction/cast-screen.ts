/**
 * What a recording shows on its screen. Programs that draw single cells never write a secret as one text: it is only whole on the
 * screen. Each cell keeps the place of its character in the output.
 */
import { sizeIn, type Cast } from "../protocol/cast.ts";
import { cellText, HAS_CONTENT, WIDTH_SHIFT, WORDS_PER_CELL } from "../screen/cells.ts";
import { createEmulator, type EmulatorCore, type Line } from "../screen/emulator.ts";

/** A text, and by character its place in the output, or -1. */
export type Placed = readonly [text: string, places: Int32Array];

export interface ScreenPart {
  placed: Placed;
  /** Columns of the screen at that time. */
  width: number;
}

/** A long event may draw and erase again: the screen is looked at after so many characters, too. */
const STEP = 256;
/** A program that wraps by itself leaves some room for a border. */
export const BORDER_COLS = 6;
/** No secret is wrapped over more rows, above and below. */
const MAX_WRAPPED = 8;
const SCROLLBACK = 1000;
/** Parts are put together up to about this length: every search for secrets has its price. */
const PART_LENGTH = 200_000;
const SPACE = 0x20;
/** Between what was shown at different times. */
const APART = "\n\n\n";

/** Rows that `read`, the output as one text, does not have as they are. */
export function* shownParts({ header, events }: Cast, read: Placed): Generator<ScreenPart> {
  const { terminal, core } = createEmulator(header.width, header.height, SCROLLBACK);
  const draw = drawing(core);
  const isChanged = changes();
  const isRead = reading(read);
  let width = header.width;
  let part = new PlacedText();
  const finished = (): ScreenPart => {
    const done = { placed: part.placed, width };
    part = new PlacedText();
    return done;
  };
  let from = 0;
  for (const { kind, text } of events) {
    const size = kind === "r" ? sizeIn(text) : undefined;
    if (size !== undefined) {
      yield finished();
      width = size.cols;
      terminal.resize(size.cols, size.rows);
    }
    if (kind !== "o") continue;
    for (const step of steps(text, from)) {
      draw(step);
      addChanged(core, { isChanged, isRead }, part);
      if (part.length > PART_LENGTH) yield finished();
    }
    from += text.length;
  }
  yield finished();
  terminal.dispose();
}

class PlacedText {
  private readonly parts: string[] = [];
  private readonly places: number[] = [];

  get length(): number {
    return this.places.length;
  }

  get placed(): Placed {
    return [this.parts.join(""), Int32Array.from(this.places)];
  }

  add(text: string, place: number): void {
    this.parts.push(text);
    for (let unit = 0; unit < text.length; unit++) this.places.push(place);
  }
}

interface Step {
  text: string;
  /** By code point. */
  places: number[];
}

function* steps(text: string, from: number): Generator<Step> {
  let step: Step = { text: "", places: [] };
  let place = from;
  for (const character of text) {
    // The emulator leaves these out.
    if (character !== "\uFEFF") {
      step.text += character;
      step.places.push(place);
    }
    place += character.length;
    if (step.places.length < STEP) continue;
    yield step;
    step = { text: "", places: [] };
  }
  yield step;
}

/** Draws characters with their places as the colour. */
function drawing(core: EmulatorCore): (step: Step) => void {
  const handler = core._inputHandler;
  const print = handler.print.bind(handler);
  let places: readonly number[] = [];
  let tag = 0;
  handler.print = (data, start, end) => {
    const isRepetition = data !== handler._parseBuffer;
    for (let at = start; at < end; at++) {
      if (!isRepetition) tag = (places[at] ?? -1) + 1;
      handler._curAttrData.fg = tag;
      print(data, at, at + 1);
    }
  };
  return (step) => {
    places = step.places;
    handler.parse(Buffer.from(step.text));
  };
}

interface Checks {
  isChanged(line: Line): boolean;
  isRead(line: Line): boolean;
}

/** Adds the rows that changed, each with the row above, which may have its label, and the rows it was wrapped from and to. */
function addChanged(core: EmulatorCore, { isChanged, isRead }: Checks, part: PlacedText): void {
  const { lines, ybase } = core.buffers.active;
  const { rows, cols } = core._bufferService;
  const lineAt = (row: number): Line | undefined => (row < rows ? lines.get(ybase + row) : undefined);
  const isFull = (row: number): boolean => endOfText(lineAt(row)!) >= cols - BORDER_COLS;
  let next = 0;
  for (let row = 0; row < rows; row++) {
    const line = lineAt(row)!;
    if (!isChanged(line)) continue;
    // One that is wrapped has to be seen with the other rows.
    const isWrapped = isFull(row) || (row > 0 && isFull(row - 1));
    if (!isWrapped && isRead(line)) continue;
    let first = row;
    while (first > next && row - first < MAX_WRAPPED && isFull(first - 1)) first--;
    if (first > next) first--;
    if (first > next) part.add(APART, -1);
    next = Math.max(next, first);
    let last = row;
    while (last < rows - 1 && last - row < MAX_WRAPPED && isFull(last)) last++;
    for (; next <= last; next++) addRow(lineAt(next)!, lineAt(next + 1), part);
  }
  if (next > 0) part.add(APART, -1);
}

/** Whether a row changed since it was last seen. */
function changes(): (line: Line) => boolean {
  const seen = new WeakMap<Line, Uint32Array>();
  return (line) => {
    const { _data: data } = line;
    const before = seen.get(line);
    if (before?.length === data.length && Buffer.compare(bytesOf(before), bytesOf(data)) === 0) return false;
    seen.set(line, data.slice());
    return true;
  };
}

/** Whether the text has the row as it is on the screen. */
function reading([text, places]: Placed): (line: Line) => boolean {
  const indexes = new Int32Array(places.reduce((most, place) => Math.max(most, place), 0) + 1).fill(-1);
  places.forEach((place, index) => place >= 0 && (indexes[place] = index));
  return ({ _data: data, length }) => {
    let last: number | undefined;
    let gap = 0;
    for (let x = 0; x < length; x++) {
      const content = data[x * WORDS_PER_CELL]!;
      if (content >>> WIDTH_SHIFT === 0) continue;
      if ((content & HAS_CONTENT) === 0) {
        gap++;
        continue;
      }
      const index = indexes[data[x * WORDS_PER_CELL + 1]! - 1] ?? -1;
      if (index === -1) return false;
      const isNext =
        last === undefined || (index > last && (gap === 0 ? index === last + 1 : isSpace(text, last + 1, index)));
      if (!isNext) return false;
      last = index;
      gap = 0;
    }
    return true;
  };
}

function isSpace(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text[at] !== " " && text[at] !== "\t") return false;
  return end > start;
}

/** Column after the last visible character. */
function endOfText({ _data: data, length }: Line): number {
  let x = length;
  while (x > 0 && isBlank(data[(x - 1) * WORDS_PER_CELL]!)) x--;
  return x;
}

function isBlank(content: number): boolean {
  const character = content & HAS_CONTENT;
  return character === 0 || character === SPACE;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function addRow(line: Line, below: Line | undefined, part: PlacedText): void {
  let gap = 0;
  for (let x = 0; x < line.length; x++) {
    const content = line._data[x * WORDS_PER_CELL]!;
    if (content >>> WIDTH_SHIFT === 0) continue;
    if ((content & HAS_CONTENT) === 0) {
      gap++;
      continue;
    }
    part.add(" ".repeat(gap), -1);
    part.add(cellText(line, x, content), line._data[x * WORDS_PER_CELL + 1]! - 1);
    gap = 0;
  }
  if (below?.isWrapped !== true) part.add("\n", -1);
}
