/**
 * The places of a single word in a session that the index has found, as most questions ask for: what `MappedMessages` and
 * `Matcher` find for any question, with as little done for each message as can be. A test holds both to be the same.
 */
import { fstatSync } from "node:fs";
import type { History, SessionSource } from "../../agents/adapter.ts";
import type { MessageRole, SessionMessage } from "../../core/session.ts";
import { ByteScanner, ESCAPED, type Needle } from "../../lib/byte-scan.ts";
import { rawFiles } from "../../lib/raw-files.ts";
import { rawLook } from "../../lib/raw-stat.ts";
import { latin1Text } from "../../lib/text-of-bytes.ts";
import { asciiFinder, asciiNeedle, finderBy, prepareScanner, type Finder } from "./byte-probe.ts";
import type { SaidScan } from "../../agents/shared/said-scan.ts";
import { pieceAround } from "./json-piece.ts";
import { callParts, isSearchable, textsIn, type Part } from "./document.ts";
import { MapUnfit, MOST_ENVELOPE } from "./mapped-messages.ts";
import type { MappedFile, MessageKind, MessageMap } from "./message-map.ts";
import { MAX_PLACES, snippetInOrder, type Place, type Stretch } from "./places.ts";
import type { Sequence } from "./query.ts";
import { SingleWord } from "./single-word.ts";

/** As much as is read at first, and then: most words that are looked for stand near the beginning of something. */
const FIRST_BYTES = 32 * 1024;
const PIECE_BYTES = 128 * 1024;
/** Of a piece that is looked at once more with the next, so that no word is cut. */
const CARRY_BYTES = 1024;
const LINE_FEED = 10;
const BLANK = 32;
/** No shorter text is taken for encoded data (document.ts). */
const ENCODED_LENGTH = 512;

export class QuickPlaces {
  /** Of a word of ASCII letters and digits. */
  readonly word: SingleWord;
  readonly #text: string;
  readonly #scanner = new ByteScanner();
  readonly #needle: Needle;
  readonly #find: Finder;
  /** What adapters have for this. */
  readonly #scans = new Map<History, Scan>();
  /** What is held of the file that is looked at: from `#base` up to `#filled`. */
  #bytes: Buffer = Buffer.alloc(0);
  #fd = -1;
  #base = 0;
  #filled = 0;
  #size = 0;
  #scan!: Scan;

  constructor(sequence: Sequence) {
    this.#text = sequence.steps[0]!;
    this.word = new SingleWord(sequence);
    prepareScanner(this.#scanner);
    this.#needle = asciiNeedle(this.#text, this.#scanner);
    this.#find = asciiFinder(this.#text, this.#scanner, this.#needle);
  }

  /** Throws MapUnfit where that takes more. */
  of(history: History, source: SessionSource, { files, kinds }: MessageMap): Place[] {
    // What the reader puts in by itself is in no file.
    if ((history.bytes?.ownWords ?? "").toLowerCase().includes(this.#text)) throw new MapUnfit();
    const places: Place[] = [];
    this.#scan = this.#scanOf(history);
    for (const file of files) {
      this.#open(source, file);
      try {
        this.#look(history, source, file, kinds, places);
      } finally {
        rawFiles().close(this.#fd);
      }
      if (places.length === MAX_PLACES) break;
    }
    return places;
  }

  #scanOf(history: History): Scan {
    let scan = this.#scans.get(history);
    if (scan === undefined) {
      const said = history.bytes?.saidScan?.(this.#scanner, this.#needle);
      const find = said?.find && finderBy(said.find, this.#text, this.#scanner, this.#needle);
      scan = { find: find ?? this.#find, said, envelope: find ? undefined : history.bytes?.envelope };
      this.#scans.set(history, scan);
    }
    return scan;
  }

  #open(source: SessionSource, { file }: MappedFile): void {
    const known = source.files[file];
    if (known === undefined) throw new MapUnfit();
    this.#fd = rawFiles().open(known.path);
    try {
      // By its path, which below Node's functions takes a tenth of the time: what lies there is what was opened, or has changed.
      const { ino, size, mtimeMs } = rawLook()?.(known.path) ?? fstatSync(this.#fd);
      if (size !== known.size || mtimeMs !== known.mtimeMs || ino !== known.ino) throw new MapUnfit();
      this.#size = size;
      this.#base = 0;
      this.#filled = 0;
      this.#fill(1, 0);
    } catch (error) {
      rawFiles().close(this.#fd);
      throw error;
    }
  }

  #look(
    history: History,
    source: SessionSource,
    mapped: MappedFile,
    kinds: readonly MessageKind[],
    places: Place[],
  ): void {
    const { starts, messages, isOrdered } = mapped;
    const rows = starts.length;
    const { find, envelope } = this.#scan;
    // The order of the document is another one.
    if (!isOrdered) throw new MapUnfit();
    for (let at = 0, row = -1; ;) {
      if (at >= this.#size) return;
      if (at >= this.#filled) this.#fill(at + 1, at);
      const found = find(at - this.#base, this.#filled - this.#base);
      if (found === ESCAPED) throw new MapUnfit();
      if (found === -1) {
        if (this.#filled === this.#size) return;
        at = Math.max(at, this.#filled - CARRY_BYTES);
        while (row + 1 < rows && starts[row + 1]! <= at) row++;
        this.#fill(this.#filled + 1, row === -1 ? at : starts[firstOf(messages, row)]!);
        continue;
      }
      const hit = this.#base + found;
      while (row + 1 < rows && starts[row + 1]! <= hit) row++;
      const next = row + 1 < rows ? starts[row + 1]! : this.#size;
      if (row === -1) {
        at = next;
        continue;
      }
      const first = firstOf(messages, row);
      this.#fill(next, starts[first]!);
      const after = envelope === undefined ? 0 : this.#afterEnvelope(hit, envelope);
      if (after > 0) {
        at = after;
        continue;
      }
      let last = row;
      while (last + 1 < rows && messages[last + 1] === messages[row]) last++;
      const end = last + 1 < rows ? starts[last + 1]! : this.#size;
      this.#fill(end, starts[first]!);
      // A record that makes several messages.
      if ((first > 0 && starts[first - 1] === starts[first]) || end === starts[last]) throw new MapUnfit();
      const own: number[] = [];
      for (let each = first; each <= last; each++) own.push(starts[each]! - this.#base);
      const records = { starts: own, end: end - this.#base, hit: hit - this.#base };
      const [state, tool] = kinds[mapped.kinds[first]!]!;
      const told = this.#saidIn(records, state, tool) ?? this.#builtIn(history, source, records, state, tool);
      if (told.part !== undefined) {
        places.push(placeFrom(told.part, messages[first]!, told.role, told.timestamp, mapped.subagent));
        if (places.length === MAX_PLACES) return;
      }
      at = end;
      row = last;
    }
  }

  /** Without parsing the records. Undefined: it takes more to tell. */
  #saidIn({ starts, end, hit }: OwnRecords, state: number, tool: string): Told | undefined {
    const said = this.#scan.said?.said(starts, end, hit, state);
    if (said === undefined) return undefined;
    const { role, time } = said;
    if (said.part === undefined) return { role, timestamp: undefined, part: undefined };
    if (!this.#isText(said.start, said.end)) return undefined;
    const found = pieceAround(this.#bytes, said.start, said.end, said.place, this.word);
    if (found === undefined) return undefined;
    const { text, stretches } = found;
    const part = { text, stretches, kind: said.part, tool: role === "tool" ? tool : said.tool };
    return { role, timestamp: time === undefined ? undefined : new Date(time), part };
  }

  /** Not what may be encoded data: there is a blank near its beginning. */
  #isText(start: number, end: number): boolean {
    if (end - start < ENCODED_LENGTH) return true;
    const blank = this.#bytes.indexOf(BLANK, start);
    return blank !== -1 && blank < start + ENCODED_LENGTH && latin1Text(this.#bytes, start, start + 5) !== "data:";
  }

  #builtIn(history: History, source: SessionSource, { starts, end }: OwnRecords, state: number, tool: string): Told {
    const message = history.rebuild!(source, this.#bytes, starts, end, state)[0];
    if (message === undefined) throw new MapUnfit();
    if (message.toolResult) message.toolResult.toolName = tool;
    const { role, timestamp } = message;
    return { role, timestamp, part: this.#partWithWord(message) };
  }

  /** The first of its parts that has the word. */
  #partWithWord(message: SessionMessage): PartWithWord | undefined {
    const { content, thinking, toolCalls, toolResult } = message;
    if (toolResult === undefined) {
      const said = this.#found(content, "content") ?? this.#found(thinking ?? "", "thinking");
      if (said !== undefined || toolCalls === undefined) return said;
      for (const { text, tool } of callParts(message)) {
        const called = this.#found(text, "call", tool);
        if (called) return called;
      }
      return undefined;
    }
    const { toolName: tool, output } = toolResult;
    for (const text of typeof output === "object" && output !== null ? textsIn(output) : [content]) {
      const found = this.#found(text, "content", tool);
      if (found) return found;
    }
    return undefined;
  }

  #found(text: string, kind: Part["kind"], tool?: string): PartWithWord | undefined {
    const stretches = this.word.in(text);
    return stretches.length === 0 || !isSearchable(text) ? undefined : { text, kind, tool, stretches };
  }

  /** Where the envelope ends that a place belongs to; 0 for one that belongs to none. */
  #afterEnvelope(place: number, envelope: (beginning: string) => number): number {
    const bytes = this.#bytes;
    const base = this.#base;
    const at = place - base;
    const start = at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
    const length = envelope(latin1Text(bytes, start, Math.min(start + MOST_ENVELOPE, bytes.length)));
    if (length !== Number.POSITIVE_INFINITY) return start + length > at ? base + start + length : 0;
    const end = bytes.indexOf(LINE_FEED, at);
    return end === -1 ? this.#filled : base + end;
  }

  /** Up to `wanted` at least, or to the file's end. Of what is held nothing is wanted that lies before `from`. */
  #fill(wanted: number, from: number): void {
    const until = Math.min(wanted, this.#size);
    if (this.#filled >= until) return;
    const { bytes } = this.#scanner;
    if (until - this.#base > bytes.length) this.#moveTo(from);
    // More than the scanner holds at once.
    if (until - this.#base > bytes.length) throw new MapUnfit();
    const target = Math.min(
      this.#size,
      Math.max(until, this.#filled === 0 ? FIRST_BYTES : this.#filled + PIECE_BYTES),
      this.#base + bytes.length,
    );
    while (this.#filled < until) {
      const at = this.#filled - this.#base;
      const got = rawFiles().read(this.#fd, bytes, at, target - this.#filled, this.#filled);
      if (got === 0) throw new MapUnfit();
      this.#filled += got;
    }
    const held = this.#filled - this.#base;
    this.#scanner.close(held);
    this.#bytes = bytes.subarray(0, held);
  }

  /** Nothing before this place is held any more. */
  #moveTo(from: number): void {
    this.#scanner.bytes.copyWithin(0, Math.min(from, this.#filled) - this.#base, this.#filled - this.#base);
    this.#base = from;
    this.#filled = Math.max(from, this.#filled);
  }
}

function placeFrom(
  { text, kind, tool, stretches }: PartWithWord,
  messageIndex: number,
  role: MessageRole,
  timestamp: Date | undefined,
  subagent: string | undefined,
): Place {
  const { snippet, marks } = snippetInOrder(text, stretches);
  const place = { messageIndex, role } as Place;
  // In this order it is printed.
  if (timestamp !== undefined) place.timestamp = timestamp;
  if (subagent !== undefined) place.subagent = subagent;
  place.part = kind;
  if (tool !== undefined) place.tool = tool;
  place.snippet = snippet;
  place.marks = marks;
  return place;
}

/** The first row of its message. */
function firstOf(messages: Uint16Array, row: number): number {
  let first = row;
  while (first > 0 && messages[first - 1] === messages[row]) first--;
  return first;
}

interface Scan {
  find: Finder;
  said: SaidScan | undefined;
  /** Undefined where what is found is not in one. */
  envelope: ((beginning: string) => number) | undefined;
}

/** Of one message; places are offsets in what is held. */
interface OwnRecords {
  starts: readonly number[];
  /** Where the next message begins. */
  end: number;
  /** Where the word was found, and not before. */
  hit: number;
}

/** What is shown of a message. */
interface Told {
  role: MessageRole;
  timestamp: Date | undefined;
  /** Undefined: none has the word. */
  part: PartWithWord | undefined;
}

interface PartWithWord extends Pick<Part, "text" | "kind"> {
  tool: string | undefined;
  stretches: readonly Stretch[];
}
