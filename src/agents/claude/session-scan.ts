/** The scanner of a session's transcripts with the usage in them: of records it took itself, and of those that were parsed. */
import { SCRATCH } from "../../lib/json-line-paths.ts";
import type { Texts } from "../../lib/texts.ts";
import { RowStage, type StagingModule } from "../staged-rows.ts";
import { COPIED, LOWER_BOUND, type UsageRows } from "../usage-rows.ts";
import { RecordScan } from "./record-scan.ts";
import { modifiersOf, type Collected } from "./usage.ts";

// Of a reply, as in wasm/claude/usage.ts.
const ENTRY_BYTES = 128;
const FINISHED = 1;
const HAS_REQUEST_ID = 2;
const ON_MAIN_LINE = 4;
const BRANCHED = 8;
const KNOWN = 16;
/** In the order they have in an entry. */
const COUNTS = ["input", "cached", "cacheWrite", "cacheWrite1h", "output", "thinking"] as const;

/** As many as there is room for. */
const MAX_HELPERS = 1000;

/** A helper's transcript, and how many replies were known before it. */
export interface HelperTranscript {
  name: string;
  from: number;
}

let shared: SessionScan | undefined;

/** Made when first needed: compiling the scanner takes longer than reading a small file. */
export function sessionScan(): SessionScan {
  shared ??= new SessionScan();
  return shared;
}

export class SessionScan extends RecordScan {
  /** Replies whose first record was parsed, by their place: their texts need not be words. */
  readonly #parsed = new Map<number, Collected>();
  #stage: RowStage | undefined;
  #textsOf: Texts | undefined;
  #textNumbers: number[] = [0];
  #sidechain: { texts: Texts; number: number } | undefined;

  protected override start(): void {
    super.start();
    if (this.#parsed.size > 0) this.#parsed.clear();
  }

  protected override startBill(): void {
    super.startBill();
    this.#parsed.clear();
  }

  /** Replies with usage so far. */
  get usageCount(): number {
    return this.exports.usageCount();
  }

  /** Takes the usage of a record that was parsed. */
  seeUsage(reply: Collected): void {
    const id = this.idOf(reply.key);
    const index = this.exports.parsedUsage(id, ...this.put(reply.key));
    this.look();
    const { ints, doubles } = this;
    const int = (this.exports.usageEntries() + ENTRY_BYTES * index) >> 2;
    const double = int >> 1;
    const isNew = ints[int + 2] === 0;
    if (isNew) {
      this.#parsed.set(index, reply);
      doubles[double + 5] = reply.at ?? Number.NaN;
      doubles[double + 12] = reply.webSearches;
    }
    ints[int + 2]! |=
      KNOWN |
      (reply.finished ? FINISHED : 0) |
      (reply.hasRequestId ? HAS_REQUEST_ID : 0) |
      (reply.subagent === undefined ? ON_MAIN_LINE : 0) |
      (isNew && reply.branched ? BRANCHED : 0);
    COUNTS.forEach((name, place) => {
      doubles[double + 6 + place] = Math.max(doubles[double + 6 + place]!, reply.tokens[name]);
    });
    const reported = doubles[double + 13]!;
    if (reply.reportedMicroUsd !== undefined && !(reported >= reply.reportedMicroUsd))
      doubles[double + 13] = reply.reportedMicroUsd;
  }

  /** The more of what a reply and the results of its searches say; nothing where the reply is not known to be billed. */
  seeSearches(key: string, searches: number): void {
    const index = this.exports.usageIndex(this.idOf(key));
    if (index === -1) return;
    this.look();
    const place = (this.exports.usageEntries() + ENTRY_BYTES * index + 96) >> 3;
    this.doubles[place] = Math.max(this.doubles[place]!, searches);
  }

  /**
   * Adds the replies to rows: those of `order`, or all. `startedMs`: when the file itself was begun; what is dated earlier
   * was copied in. `helpers`: whose transcripts replies were first met in.
   */
  putUsage(
    rows: UsageRows,
    startedMs: number | undefined,
    helpers: readonly HelperTranscript[],
    order?: readonly number[],
  ): void {
    if (order === undefined && this.#parsed.size === 0 && this.#stageUsage(rows, startedMs, helpers)) return;
    this.look();
    const { ints, doubles } = this;
    const count = order?.length ?? this.exports.usageCount();
    const entries = this.exports.usageEntries();
    const own = this.exports.usageKeys();
    const keys = rows.addKeys(this.bytes.subarray(own, own + this.exports.usageKeyLength()));
    const flagsOf = (index: number): number => ints[((entries + ENTRY_BYTES * index) >> 2) + 2]!;
    const hasParsed = this.#parsed.size > 0;
    const startMs = startedMs ?? Number.NaN;
    let someHaveRequestId = false;
    const all = this.exports.usageCount();
    for (let i = 0; i < all && !someHaveRequestId; i++) someHaveRequestId = (flagsOf(i) & HAS_REQUEST_ID) !== 0;
    if (this.#textsOf !== rows.texts) {
      this.#textsOf = rows.texts;
      this.#textNumbers = [0];
    }
    let row = rows.extend(count);
    const { at, input, cached, cacheWrite, cacheWrite1h, output, thinking, webSearches, reported } = rows;
    const { flags, model, cwd, branch, subagent, modifiers, keyNumber, keyStart, keyLength } = rows;
    for (let place = 0; place < count; place++, row++) {
      const index = order === undefined ? place : order[place]!;
      const int = (entries + ENTRY_BYTES * index) >> 2;
      const double = int >> 1;
      const facts = ints[int + 2]!;
      const time = doubles[double + 5]!;
      const isHelpers = (facts & ON_MAIN_LINE) === 0;
      const parsed = hasParsed ? this.#parsed.get(index) : undefined;
      // Resuming with 1.0.85 and older re-wrote history without request ids; only what was asked since has one.
      const lacksRequestId = someHaveRequestId && (facts & HAS_REQUEST_ID) === 0 && !isHelpers;
      const isCopied = (facts & BRANCHED) !== 0 || time < startMs || lacksRequestId;
      keyStart[row] = keys + ints[int]!;
      keyLength[row] = ints[int + 1]!;
      keyNumber[row] = ints[int + 9]!;
      at[row] = time;
      input[row] = doubles[double + 6]!;
      cached[row] = doubles[double + 7]!;
      cacheWrite[row] = doubles[double + 8]!;
      cacheWrite1h[row] = doubles[double + 9]!;
      output[row] = doubles[double + 10]!;
      thinking[row] = doubles[double + 11]!;
      webSearches[row] = doubles[double + 12]!;
      reported[row] = doubles[double + 13]!;
      flags[row] = ((facts & FINISHED) === 0 ? LOWER_BOUND : 0) | (isCopied ? COPIED : 0);
      if (parsed) {
        model[row] = rows.texts.numberOf(parsed.model);
        cwd[row] = rows.texts.numberOf(parsed.cwd);
        branch[row] = rows.texts.numberOf(parsed.branch);
        modifiers[row] = rows.modifiersNumber(parsed.modifiers);
      } else {
        model[row] = this.#textNumber(ints[int + 3]!);
        cwd[row] = this.#textNumber(ints[int + 4]!);
        branch[row] = this.#textNumber(ints[int + 5]!);
        modifiers[row] = this.#modifiers(rows, ints[int + 7]!, ints[int + 8]!);
      }
      if (!isHelpers) subagent[row] = 0;
      else {
        const helper =
          parsed?.subagent ??
          helpers.findLast(({ from }) => from <= index)?.name ??
          this.textOfWord(ints[int + 6]!) ??
          "sidechain";
        subagent[row] = rows.texts.numberOf(helper);
      }
    }
  }

  /** The same by the module, which knows all replies. False when they are too many for it. */
  #stageUsage(rows: UsageRows, startedMs: number | undefined, helpers: readonly HelperTranscript[]): boolean {
    const { exports } = this;
    const count = exports.usageCount();
    this.#stage ??= new RowStage(this);
    if (helpers.length > MAX_HELPERS || !this.#stage.begin(rows, count)) return false;
    this.look();
    for (let index = 0, place = SCRATCH >> 2; index < helpers.length; index++, place += 2) {
      const { name, from } = helpers[index]!;
      this.ints[place] = from;
      this.ints[place + 1] = rows.texts.numberOf(name);
    }
    const startMs = startedMs ?? Number.NaN;
    const sidechain = this.#sidechainIn(rows.texts);
    const pack = exports.packUsage;
    for (
      let asked = pack(startMs, helpers.length, sidechain);
      asked !== 0;
      asked = pack(startMs, helpers.length, sidechain)
    )
      this.#stage.answer(rows, asked);
    rows.length += count;
    // Memory may have grown.
    this.look();
    return true;
  }

  /** The number for helpers that have no name; asked for once for every session, of the same texts. */
  #sidechainIn(texts: Texts): number {
    if (this.#sidechain?.texts !== texts) this.#sidechain = { texts, number: texts.numberOf("sidechain") };
    return this.#sidechain.number;
  }

  get stageExports(): StagingModule {
    return this.exports;
  }

  modifiersOfWords(speed: number, geo: number): readonly string[] {
    return modifiersOf(this.textOfWord(speed), this.textOfWord(geo));
  }

  /** The number a word has among the texts of the rows. */
  #textNumber(word: number): number {
    const known = this.#textNumbers[word];
    if (known !== undefined) return known;
    const number = this.#textsOf!.numberOf(this.textOfWord(word));
    this.#textNumbers[word] = number;
    return number;
  }

  #modifiers(rows: UsageRows, speed: number, geo: number): number {
    if (speed === 0 && geo === 0) return 0;
    return rows.modifiersNumber(this.modifiersOfWords(speed, geo));
  }
}
