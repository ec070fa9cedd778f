/**
 * The records of a transcript without parsing them: a WebAssembly module (wasm/claude-records.as.ts) counts and bills
 * them where they lie and stops only at lines that have to be parsed. Names and meanings of the fields are those of the
 * records; `record.ts` has the rules for parsed ones.
 */
import type { FileEnds } from "../../lib/file-ends.ts";
import { SCRATCH } from "../../lib/json-line-paths.ts";
import { JsonLines, MOVED } from "../../lib/json-lines.ts";
import { putLatin1 } from "../../lib/latin1.ts";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead } from "../adapter.ts";
import { PackedRows, startRows, titleJson, type RowPieces } from "../packed-rows.ts";
import { RECORD_KINDS, UNREAD_PREFIXES, type RecordKind } from "./record.ts";
import { BLOCK_FIELDS, FIELDS, WORDS } from "./record-fields.ts";
import type { RecordScanExports as Exports } from "./record-scan-exports.ts";
import { CLAUDE_RECORDS_WASM } from "./record-scan.gen.ts";

// Where the module keeps what it found since it was last asked.
const FACTS = 12_032;
const MODELS = FACTS + 72;
const MORE_FACTS = 11_744;
const LISTED = MORE_FACTS + 40;
const TITLE_CUT = 0x1_0000;
/** What `packEnds` answers. */
const [PACKED, ODD_TITLE] = [1, 2];
const IDS = 12_288;
const ID_LENGTHS = 12_224;
const ID_BYTES = 64;
const ID_SLOTS = 64;

/** What the records since the last one that was parsed have said. */
export interface ScannedFacts {
  /** When the file itself was begun, said before anything that is dated. */
  startedMs: number | undefined;
  /** Of the first record of the main line, if it is among them. */
  firstUuid: string | undefined;
  /** The beginning of the first prompt, long enough for a title, if it is among them. */
  firstPrompt: string | undefined;
  aiTitle: string | undefined;
  customTitle: string | undefined;
  firstTime: number | undefined;
  lastTime: number | undefined;
  /** Of what was billed. */
  replyTime: number | undefined;
  cwd: string | undefined;
  branch: string | undefined;
  version: string | undefined;
  hasConversation: boolean;
  hasNote: boolean;
  /** Of the main line, oldest first; only the last ones. */
  ids: string[];
  firstReply: string | undefined;
  lastReply: string | undefined;
  /** Replies by model, in the order of their last use. */
  models: [model: string, replies: number][];
}

/** What the ends of a transcript tell. */
export interface ListedFacts extends Pick<
  ScannedFacts,
  "firstTime" | "lastTime" | "startedMs" | "cwd" | "branch" | "version" | "hasConversation" | "hasNote"
> {
  model: string | undefined;
  firstReply: string;
  firstUuid: string;
  /** The name the user gave it, else the one that was made up for it, else what was said first. */
  title: string;
  isNamedByUser: boolean;
  isNamed: boolean;
}

/** What is known from the records so far. */
export interface Told {
  /** The first record of the main line was seen. */
  hasBegun: boolean;
  hasPrompt: boolean;
  /** One of the chain had a date. */
  isDated: boolean;
  lastReply: string | undefined;
}

/** Of a transcript that is only billed. */
export interface BillFacts {
  /** Of the first record of the chain. */
  firstMs: number | undefined;
  /** When the file itself was begun, where it says so. */
  startedMs: number | undefined;
  /** Of what was billed last. */
  replyTime: number | undefined;
  hasConversation: boolean;
}

export class RecordScan extends JsonLines<Exports> {
  constructor() {
    super([...FIELDS, ...BLOCK_FIELDS], UNREAD_PREFIXES, CLAUDE_RECORDS_WASM);
    WORDS.forEach((word, index) => this.exports.setWord(index, this.wordId(word)));
  }

  /** Begins a session with its transcript. */
  override open(path: string, bytes: number): void {
    super.open(path, bytes);
    this.start();
  }

  /** Begins one that is only billed. */
  openForBill(path: string): void {
    super.open(path, 0);
    this.startBill();
  }

  /** Goes on with a helper's transcript, whose replies are added to the session's. */
  openHelper(path: string): void {
    this.openNext(path);
  }

  protected start(): void {
    this.exports.start();
  }

  protected startBill(): void {
    this.exports.startBill();
    this.exports.goOn(0, 0, 0, 0, 0);
  }

  /** Begins a session whose ends `readEnds` has read. */
  begin(): void {
    this.exports.forgetIds(512);
    this.start();
  }

  /** Goes on with some of its lines. */
  openLines(from: number, to: number): void {
    this.openRange(from, to);
  }

  /** After the line that an address is in; at most `end`. */
  lineEnd(address: number, end: number): number {
    if (address >= end) return end;
    const feed = this.bytes.indexOf(10, address);
    return feed === -1 || feed >= end ? end : feed + 1;
  }

  /** Lines between two addresses with a piece of text in them, in order. */
  linesWith(text: string, from: number, to: number): Buffer[] {
    const bytes = this.bytes.subarray(from, to);
    const lines: Buffer[] = [];
    for (let at = bytes.indexOf(text, 0, "latin1"); at !== -1;) {
      const end = bytes.indexOf(10, at);
      const line = bytes.subarray(bytes.lastIndexOf(10, at) + 1, end === -1 ? bytes.length : end);
      lines.push(line);
      at = end === -1 ? -1 : bytes.indexOf(text, end, "latin1");
    }
    return lines;
  }

  bytesFrom(from: number, to: number): Buffer {
    return this.bytes.subarray(from, to);
  }

  /** The next line that has to be parsed; the facts of those before it are to be taken first. */
  nextOdd(): number {
    return this.advance(this.exports.nextOdd);
  }

  /** The same in a sub-agent's transcript. */
  nextOddOfHelper(): number {
    return this.advance(this.exports.nextOddOfHelper);
  }

  /** The next line that has to be parsed by whoever only wants the bill. */
  nextOddOfBill(): number {
    return this.advance(this.exports.nextOddOfBill);
  }

  /** What a bill needs to know beside the usage. */
  billFacts(): BillFacts {
    return {
      firstMs: known(this.doubles[FACTS >> 3]!),
      startedMs: known(this.doubles[(FACTS + 8) >> 3]!),
      replyTime: known(this.doubles[(FACTS + 16) >> 3]!),
      hasConversation: (this.ints[(FACTS + 36) >> 2]! & 1) !== 0,
    };
  }

  /** After facts and usage were taken and a line was parsed: what the parsed records have told so far. */
  goOn({ hasBegun, hasPrompt, isDated, lastReply }: Told, needsIds: boolean): void {
    const reply = lastReply === undefined ? 0 : this.idOf(lastReply);
    this.exports.goOn(hasBegun ? 1 : 0, hasPrompt ? 1 : 0, isDated ? 1 : 0, needsIds ? 1 : 0, reply);
  }

  /** What a list shows, from what `readEnds` has read; undefined when some of it has to be parsed. */
  listed({ head, headEnd, tail, tailEnd, whole }: FileEnds): ListedFacts | undefined {
    const isListed = this.exports.scanEnds(head, headEnd, tail, tailEnd, whole ? 1 : 0) === 1;
    this.look();
    if (!isListed) return undefined;
    const { ints, doubles } = this;
    const place = FACTS >> 2;
    const seen = ints[place + 9]!;
    const made = ints[LISTED >> 2]!;
    const titleEnd = made < 0 ? 0 : made & 0xff;
    const uuidEnd = titleEnd + ints[(LISTED + 4) >> 2]!;
    const start = this.exports.listedTexts();
    const texts = this.bytes.toString("latin1", start, start + uuidEnd + ints[(LISTED + 8) >> 2]!);
    const isNamedByUser = ints[(MORE_FACTS + 36) >> 2]! > 0;
    return {
      firstTime: known(doubles[FACTS >> 3]!),
      lastTime: known(doubles[(FACTS + 8) >> 3]!),
      startedMs: known(doubles[MORE_FACTS >> 3]!),
      cwd: this.textOfWord(ints[place + 6]!),
      branch: this.textOfWord(ints[place + 7]!),
      version: this.textOfWord(ints[place + 8]!),
      hasConversation: (seen & 1) !== 0,
      hasNote: (seen & 2) !== 0,
      model: this.textOfWord(ints[(LISTED + 12) >> 2]!),
      firstUuid: texts.slice(titleEnd, uuidEnd),
      firstReply: texts.slice(uuidEnd),
      title:
        made < 0 ? this.#oddTitle() : made >= TITLE_CUT ? `${texts.slice(0, titleEnd)}…` : texts.slice(0, titleEnd),
      isNamedByUser,
      isNamed: isNamedByUser || ints[(MORE_FACTS + 28) >> 2]! > 0,
    };
  }

  /** Begins rows of a list. */
  startRows(pieces: RowPieces): void {
    startRows(this.exports, pieces, (text) => this.put(text));
  }

  /** Packs the row of a session from what `readCutEnds` has read; false when some of it has to be parsed. */
  packRow({ head, headEnd, tail, tailEnd, whole }: FileEnds, id: string): boolean {
    const idLength = putLatin1(this.bytes, id, SCRATCH);
    return this.#isPacked(
      this.exports.packEnds(head, headEnd, tail, tailEnd, whole ? 1 : 0, SCRATCH, idLength),
      idLength,
    );
  }

  /** Packs the row of a session that was counted, and of which no record was parsed; false when it is out of the ordinary. */
  packCounted(id: string): boolean {
    const idLength = putLatin1(this.bytes, id, SCRATCH);
    return this.#isPacked(this.exports.packCounted(SCRATCH, idLength), idLength);
  }

  #isPacked(answer: number, idLength: number): boolean {
    let state = answer;
    if (state >= MOVED) this.look();
    if ((state & ~MOVED) === ODD_TITLE) {
      const title = SCRATCH + idLength;
      const length = this.bytes.write(titleJson(this.#oddTitle()), title);
      state = this.exports.packTitled(SCRATCH, idLength, title, length);
      if (state >= MOVED) this.look();
    }
    return (state & ~MOVED) === PACKED;
  }

  /** Of a session that was packed, what its bill needs. */
  packedHead(): SessionHead {
    const startedMs = this.doubles[MORE_FACTS >> 3]!;
    if (Number.isNaN(startedMs)) return { title: "", createdMs: this.doubles[FACTS >> 3]! };
    return { title: "", createdMs: startedMs, startedMs };
  }

  rows(): PackedRows {
    return new PackedRows(this.exports, (text) => this.put(text));
  }

  /** Of more than plain letters. */
  #oddTitle(): string {
    return titleFrom(this.#fact(32) ?? this.#fact(24) ?? this.#fact(16));
  }

  /** Called for every transcript, and for every line of one that is parsed. */
  facts(): ScannedFacts {
    this.look();
    const { ints, doubles } = this;
    const place = FACTS >> 2;
    const seen = ints[place + 9]!;
    const hasReplies = ints[place + 11]! > 0;
    return {
      startedMs: known(doubles[MORE_FACTS >> 3]!),
      firstUuid: this.#fact(8),
      firstPrompt: this.#fact(16),
      aiTitle: this.#fact(24),
      customTitle: this.#fact(32),
      firstTime: known(doubles[FACTS >> 3]!),
      lastTime: known(doubles[(FACTS + 8) >> 3]!),
      replyTime: known(doubles[(FACTS + 16) >> 3]!),
      cwd: this.textOfWord(ints[place + 6]!),
      branch: this.textOfWord(ints[place + 7]!),
      version: this.textOfWord(ints[place + 8]!),
      hasConversation: (seen & 1) !== 0,
      hasNote: (seen & 2) !== 0,
      ids: ints[place + 10] === 0 ? [] : this.#ids(ints[place + 10]!),
      firstReply: hasReplies ? this.#text(ints[place + 12]!, ints[place + 13]!) : undefined,
      lastReply: hasReplies ? this.#text(ints[place + 14]!, ints[place + 15]!) : undefined,
      models: this.#models(ints[place + 16]!),
    };
  }

  #models(count: number): [model: string, replies: number][] {
    const models: [string, number][] = [];
    for (let place = MODELS >> 2; models.length < count; place += 2)
      models.push([this.textOfWord(this.ints[place]!)!, this.ints[place + 1]!]);
    return models;
  }

  #fact(offset: number): string | undefined {
    const place = (MORE_FACTS + offset) >> 2;
    const length = this.ints[place + 1]!;
    return length === 0 ? undefined : this.stringAt(this.exports.usageTexts() + this.ints[place]!, length);
  }

  /** The text of a word; undefined for none. */
  textOfWord(number: number): string | undefined {
    return number === 0 ? undefined : this.wordText(number);
  }

  #text(start: number, length: number): string {
    return this.textAt(this.exports.usageTexts() + start, length);
  }

  #ids(count: number): string[] {
    return Array.from({ length: Math.min(count, ID_SLOTS) }, (_, index) => {
      const slot = (Math.max(0, count - ID_SLOTS) + index) % ID_SLOTS;
      return this.textAt(IDS + ID_BYTES * slot, this.bytes[ID_LENGTHS + slot]!);
    });
  }

  addRecord(kind: RecordKind, id: number, parent: number, isSide: boolean, reply: number): void {
    this.exports.addRecord(RECORD_KINDS.indexOf(kind), id, parent, isSide ? 1 : 0, reply);
  }

  /** Of the record that is added next. */
  addCall(id: number): void {
    this.exports.addCall(id);
  }

  addResult(id: number): void {
    this.exports.addResult(id);
  }

  /** The record that was chosen to go on from. */
  goOnFrom(id: number): void {
    this.exports.goOnFrom(id);
  }

  /** Of the main line, when all records were seen. */
  counts(): { messageCount: number; turnCount: number } {
    const messageCount = this.exports.messageCount();
    return { messageCount, turnCount: this.exports.turnCount() };
  }
}

function known(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
