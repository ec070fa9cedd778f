/**
 * Finds the messages of a matching session that can contain given words, from the bytes of its files, and builds only those, in
 * document order.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { History, SessionSource } from "../../agents/adapter.ts";
import type { SessionMessage } from "../../core/session.ts";
import { ByteWords, CARRY_BYTES, ESCAPED, NOWHERE, PIECE_BYTES } from "./byte-words.ts";
import { messageAlone, type DocumentMessage } from "./document.ts";
import type { MappedFile, MessageMap } from "./message-map.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";

/** Bytes per read: most words occur near the start of something. */
const READ_BYTES = 128 * 1024;

/** Words of ASCII letters and digits. */
export class MappedMessages {
  readonly #words: readonly string[];
  readonly #finder: ByteWords;
  /** The loaded part of the file. */
  #text = "";
  #from = 0;
  #end = 0;
  #held: Buffer = Buffer.allocUnsafeSlow(4 * READ_BYTES);
  #isUnfit = false;

  constructor(words: readonly string[]) {
    this.#words = [...new Set(words)];
    this.#finder = new ByteWords(this.#words);
  }

  /** Whether the map did not fit the file, or was incomplete: then the session must be read. */
  get isUnfit(): boolean {
    return this.#isUnfit;
  }

  /** Each yielded value is valid until the next one. Check `isUnfit` afterwards. */
  *of(history: History, source: SessionSource, map: MessageMap): Generator<DocumentMessage> {
    // Words that the reader adds are in no file.
    const own = (history.bytes?.ownWords ?? "").toLowerCase();
    this.#isUnfit = history.indexed === undefined || this.#words.some((word) => own.includes(word));
    for (const file of map.files) if (!this.#isUnfit) yield* this.#ofFile(history, source, map, file);
  }

  *#ofFile(
    history: History,
    source: SessionSource,
    { kinds }: MessageMap,
    mapped: MappedFile,
  ): Generator<DocumentMessage> {
    const known = source.files[mapped.file];
    if (known === undefined) {
      this.#isUnfit = true;
      return;
    }
    const fd = openForReading(known.path);
    const file = new PiecedFile(fd, known.size, this.#held);
    this.#end = 0;
    try {
      const { size, mtimeMs, ino } = fstatSync(fd);
      this.#isUnfit = size !== known.size || mtimeMs !== known.mtimeMs || ino !== known.ino;
      for (const row of this.#isUnfit ? [] : this.#rows(file, mapped)) {
        const [state, tool] = kinds[mapped.kinds[row]!]!;
        const message = rebuilt(history, source, file, mapped, row, state);
        if (message === undefined) {
          this.#isUnfit = true;
          return;
        }
        if (message.toolResult) message.toolResult.toolName = tool;
        yield messageAlone(message, mapped.messages[row]!, mapped.subagent);
      }
    } finally {
      this.#held = file.bytes;
      closeSync(fd);
    }
  }

  /** The first rows of messages that can contain a word, by message. */
  #rows(file: PiecedFile, mapped: MappedFile): Iterable<number> {
    const rows = this.#rowsInFile(file, mapped);
    if (mapped.isOrdered) return rows;
    return [...rows].sort((a, b) => mapped.messages[a]! - mapped.messages[b]!);
  }

  *#rowsInFile(file: PiecedFile, { starts, messages, isOrdered }: MappedFile): Generator<number> {
    const seen = new Set<number>();
    for (let row = -1, at = 0; at < file.size;) {
      const hit = this.#next(file, at);
      if (hit === NOWHERE) return;
      while (row + 1 < starts.length && starts[row + 1]! <= hit) row++;
      let same = row;
      // One record can produce several messages.
      while (same > 0 && starts[same - 1] === starts[row]) same--;
      for (; same >= 0 && same <= row; same++) {
        const message = messages[same]!;
        if (seen.has(message)) continue;
        seen.add(message);
        yield isOrdered ? firstOfRun(messages, same) : messages.indexOf(message);
      }
      at = starts[row + 1] ?? file.size;
    }
  }

  /** The first offset of one of the words; NOWHERE if there is none or it cannot be determined. */
  #next(file: PiecedFile, from: number): number {
    for (let start = from; ;) {
      if (start >= file.filled && !file.fill(start + 1)) return this.#giveUp();
      if (start < this.#from || start >= this.#end) this.#show(file, start);
      const bytes = file.bytes.subarray(this.#from, this.#end);
      const place = this.#finder.find(bytes, this.#text, start - this.#from);
      if (place === ESCAPED) return this.#giveUp();
      if (place !== NOWHERE) return this.#from + place;
      if (this.#end === file.size) return NOWHERE;
      if (this.#end === file.filled && !file.fill(this.#end + 1)) return this.#giveUp();
      start = Math.max(from, this.#end - CARRY_BYTES);
      this.#show(file, start);
    }
  }

  #giveUp(): number {
    this.#isUnfit = true;
    return NOWHERE;
  }

  /** Loads the file from an offset on. */
  #show(file: PiecedFile, start: number): void {
    this.#from = start;
    this.#end = Math.min(file.filled, start + PIECE_BYTES);
    this.#text = file.bytes.toString("latin1", this.#from, this.#end);
  }
}

function firstOfRun(messages: Uint16Array, row: number): number {
  let first = row;
  while (first > 0 && messages[first - 1] === messages[row]) first--;
  return first;
}

function rebuilt(
  history: History,
  source: SessionSource,
  file: PiecedFile,
  { starts, messages }: MappedFile,
  row: number,
  state: number,
): SessionMessage | undefined {
  const own: number[] = [];
  let last = row;
  for (let at = row; at !== -1; at = messages.indexOf(messages[row]!, at + 1)) own.push(starts[(last = at)]!);
  let next = last + 1;
  while (next < starts.length && starts[next] === starts[last]) next++;
  const end = starts[next] ?? file.size;
  if (!file.fill(end)) return undefined;
  let before = 0;
  while (row > before && starts[row - before - 1] === starts[row]) before++;
  return history.indexed!.rebuild(source, file.bytes.subarray(0, file.filled), own, end, state)[before];
}

/** A file that is read from its start, in chunks, as far as needed. */
class PiecedFile {
  bytes: Buffer;
  filled = 0;
  readonly size: number;
  readonly #fd: number;

  constructor(fd: number, size: number, bytes: Buffer) {
    this.#fd = fd;
    this.size = size;
    this.bytes = bytes;
  }

  /** Reads at least up to this offset, or to the end. False if the file has shrunk. */
  fill(wanted: number): boolean {
    const until = Math.min(wanted, this.size);
    while (this.filled < until) {
      const target = Math.min(this.size, Math.max(until, this.filled + READ_BYTES));
      if (target > this.bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(target, 2 * this.bytes.length));
        this.bytes.copy(larger, 0, 0, this.filled);
        this.bytes = larger;
      }
      const got = readSync(this.#fd, this.bytes, this.filled, target - this.filled, this.filled);
      if (got === 0) return false;
      this.filled += got;
    }
    return true;
  }
}
