/**
 * Removes terminal queries (device attributes, cursor position, colours) from a program's output. The runner has answered them; a
 * real terminal would answer again, into the program's input.
 */

const ESC = 0x1b;
const BEL = 0x07;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const BACKSLASH = 0x5c;
const LETTER_P = 0x50;

/** A longer sequence is not a query and passes without waiting for its end. */
const MAX_QUESTION_BYTES = 256;

const QUESTION_CSI =
  /^(?:[>=?]?[\d;]*c|\??(?:5|6|15|25|26|53|55|56|62|63|75|85|996)n|\??[\d;]*\$p|>\d*q|\?u|(?:11|13|14|15|16|18|19|20|21)(?:;\d+)*t|\d*x)$/;
const QUESTION_OSC = /^(?:4;\d+|5;\d+|1\d|52;[^;]*|7501);\?$/;
const QUESTION_DCS = /^[$+]q/;

/** Final bytes of the sequences above; colours and movements, which are most, have others. */
const QUESTION_FINALS: ReadonlySet<number> = new Set(Buffer.from("cnpqutx"));

const NOTHING = Buffer.alloc(0);

interface Sequence {
  end: number;
  isQuestion: boolean;
}

export class QueryFilter {
  /** An incomplete sequence. */
  private held: Buffer = NOTHING;

  push(chunk: Buffer): Buffer {
    // Fast path for a key's echo.
    if (chunk.length === 1 && chunk[0] !== ESC && this.held.length === 0) return chunk;
    const data = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    this.held = NOTHING;
    let from = data.indexOf(ESC);
    if (from === -1) return data;
    const kept: Buffer[] = [];
    let keptUntil = 0;
    while (from !== -1) {
      const sequence = sequenceAt(data, from);
      if (sequence === undefined) {
        kept.push(data.subarray(keptUntil, from));
        this.held = data.subarray(from);
        return Buffer.concat(kept);
      }
      if (sequence.isQuestion) {
        kept.push(data.subarray(keptUntil, from));
        keptUntil = sequence.end;
      }
      from = data.indexOf(ESC, sequence.end);
    }
    kept.push(data.subarray(keptUntil));
    return kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept);
  }
}

/** Undefined: it may continue in the next chunk. */
function sequenceAt(data: Buffer, at: number): Sequence | undefined {
  const kind = data[at + 1];
  if (kind === undefined) return undefined;
  if (kind === OPEN_BRACKET) return csiAt(data, at);
  if (kind === CLOSE_BRACKET || kind === LETTER_P) return stringAt(data, at, kind);
  return { end: at + 2, isQuestion: false };
}

function csiAt(data: Buffer, at: number): Sequence | undefined {
  for (let end = at + 2; end < data.length; end++) {
    const byte = data[end] as number;
    if (byte >= 0x20 && byte < 0x40) continue;
    const isWhole = byte >= 0x40 && byte < 0x7f;
    // Anything else aborts the sequence; the terminal decides what it means.
    if (!isWhole) return { end, isQuestion: false };
    const isQuestion = QUESTION_FINALS.has(byte) && QUESTION_CSI.test(data.toString("latin1", at + 2, end + 1));
    return { end: end + 1, isQuestion };
  }
  return data.length - at > MAX_QUESTION_BYTES ? { end: data.length, isQuestion: false } : undefined;
}

function stringAt(data: Buffer, at: number, kind: number): Sequence | undefined {
  const question = kind === CLOSE_BRACKET ? QUESTION_OSC : QUESTION_DCS;
  for (let end = at + 2; end < Math.min(data.length, at + MAX_QUESTION_BYTES); end++) {
    const isBell = data[end] === BEL;
    if (!isBell && data[end] !== ESC) continue;
    if (!isBell && end + 1 === data.length) return undefined;
    const text = data.toString("latin1", at + 2, end);
    const length = isBell ? 1 : data[end + 1] === BACKSLASH ? 2 : 0;
    return { end: end + length, isQuestion: question.test(text) };
  }
  return data.length - at >= MAX_QUESTION_BYTES ? { end: at + 2, isQuestion: false } : undefined;
}
