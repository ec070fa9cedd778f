/**
 * The head of a thread from the first and last lines of its only file, which the scanner's module looks at where they lie
 * (wasm/codex/head.ts). A file that begins with copies is read on up to the first prompt of its own.
 */
import { endsAtOnce, readCutEnds, type FileEnds } from "../../lib/file-ends.ts";
import { CHUNK_BYTES } from "../../lib/json-lines.ts";
import type { Json } from "../../lib/fields.ts";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead } from "../adapter.ts";
import { PACKED_LATER, type LaterAnswer } from "../packed-rows.ts";
import type { RolloutFile } from "./rollout-files.ts";
import { headOf } from "./thread-head.ts";
import { FACTS, FILE_HEADER, PROMPT, promptOf, TEXTS, ThreadScanner } from "./thread-scanner.ts";

let shared: HeadScan | undefined;

/** Made when first needed: compiling the scanner takes longer than reading a small file. */
export function headScan(): HeadScan {
  shared ??= new HeadScan();
  return shared;
}

/** `size`: where it is known. Undefined when these lines do not tell: something in them is not quite ordinary. */
export function quickHead(
  file: RolloutFile,
  size: number | undefined,
  name: string | undefined,
): SessionHead | undefined {
  return headScan().head(file, size, name);
}

/** Instructions before the first prompt fill some kilobytes, or some ten. */
const HEAD_BYTES = [16 * 1024, 96 * 1024];
const TAIL_BYTES = 8 * 1024;

// What the module answers, and where it keeps what it found; the same numbers are in wasm/codex/head.ts.
const [DONE, LATER, ODD_HEADER, ODD_PROMPT, COPIES] = [1, 2, 3, 4, 5];
const [CREATED, UPDATED] = [FACTS >> 3, (FACTS + 8) >> 3];
const WORDS = (FACTS + 16) >> 2;

/** What the last lines tell. */
interface TailFacts {
  updatedMs: number;
  /** The number of its name; 0 for none. */
  lastModel: number;
}

export class HeadScan extends ThreadScanner {
  readonly rowsAtOnce = endsAtOnce(CHUNK_BYTES, HEAD_BYTES[0]!, TAIL_BYTES);

  /** Reads what `packRow` needs, beside that of other threads. */
  readForRow(path: string, size: number | undefined, slot: number): FileEnds {
    return this.readEnds(path, size, HEAD_BYTES[0]!, TAIL_BYTES, readCutEnds, slot);
  }

  /** Packs the row of a thread; false when its lines do not tell all of it, or not at once. */
  packRow(file: RolloutFile, ends: FileEnds): boolean | (() => LaterAnswer) {
    const state = this.#scanCut(ends);
    if (state === LATER) return () => this.#packLater(file);
    if (state === COPIES) {
      const facts = this.#tailFacts();
      return () => this.#packBehindCopies(file, facts);
    }
    return state === DONE && this.isPacked(this.exports.packHead, file.threadId, file.archived);
  }

  /** With more of its beginning, read in place of what was read of others. */
  #packLater(file: RolloutFile): LaterAnswer {
    const state = this.#scanCut(this.readEnds(file.path, undefined, HEAD_BYTES[1]!, TAIL_BYTES, readCutEnds));
    if (state === COPIES) return this.#packBehindCopies(file, this.#tailFacts());
    return state === DONE && this.isPacked(this.exports.packHead, file.threadId, file.archived) && PACKED_LATER;
  }

  #packBehindCopies(file: RolloutFile, facts: TailFacts): LaterAnswer {
    const { exports } = this;
    this.open(file.path, 0);
    try {
      if (
        this.#goToHeader() &&
        exports.noteHeader(1, 0) === 1 &&
        this.#goToOwnPrompt() &&
        exports.noteOwnPrompt(facts.updatedMs, facts.lastModel) === 1
      ) {
        this.look();
        if (this.isPacked(exports.packHead, file.threadId, file.archived)) return PACKED_LATER;
      }
    } finally {
      this.close();
    }
    return this.#headBehindCopies(file, undefined, facts) ?? false;
  }

  #scanCut({ head, headEnd, tail, tailEnd, whole }: FileEnds): number {
    const state = this.exports.scanCutHead(head, headEnd, tail, tailEnd, whole ? 1 : 0);
    this.look();
    return state;
  }

  head(file: RolloutFile, size: number | undefined, name: string | undefined): SessionHead | undefined {
    for (const bytes of HEAD_BYTES) {
      const { head, headEnd, tail, tailEnd, whole } = this.readEnds(file.path, size, bytes, TAIL_BYTES);
      let state = this.exports.scanHead(head, headEnd, tail, tailEnd, whole ? 1 : 0);
      this.look();
      let header: Json | undefined;
      if (state === ODD_HEADER) {
        header = this.begin();
        if (header === undefined) return undefined;
        state = this.exports.goOnHead();
        this.look();
      }
      if (state !== LATER) return this.#headFrom(state, header, whole, file, name);
    }
    return undefined;
  }

  #headFrom(
    state: number,
    header: Json | undefined,
    whole: boolean,
    file: RolloutFile,
    name: string | undefined,
  ): SessionHead | undefined {
    if (state === COPIES) return this.#headBehindCopies(file, name, this.#tailFacts());
    if (state !== DONE && state !== ODD_PROMPT) return undefined;
    const prompt = state === ODD_PROMPT && name === undefined ? promptOf(this.line()) : undefined;
    if (state === ODD_PROMPT && name === undefined && prompt === undefined) return undefined;
    const title = name === undefined && state === DONE ? this.notedTitle() : titleFrom(name ?? prompt);
    const updatedMs = this.doubles[UPDATED]!;
    const model = whole ? this.mostUsedModel() : this.#lastModel();
    const { archived } = file;
    const usageUnknown = whole && this.exports.replied() === 1 && this.exports.countsSeen() === 0;
    if (header === undefined) return this.#plainHead(title, updatedMs, model, archived, usageUnknown);
    const copies = { cwd: undefined, ancestors: [], hasCopies: false };
    const head = headOf({ header, title: undefined, updatedMs, model, archived, usageUnknown, ...copies });
    head.title = title;
    return head;
  }

  /** Of a header that says no more than most. */
  #plainHead(
    title: string,
    updatedMs: number,
    model: string | undefined,
    archived: boolean,
    usageUnknown: boolean,
  ): SessionHead {
    const { ints } = this;
    const createdMs = this.doubles[CREATED]!;
    const id = this.notedText(TEXTS);
    const forkedFrom = this.notedText(TEXTS + 2);
    const parentId = this.notedText(TEXTS + 8);
    const head: SessionHead = { title, updatedMs };
    if (!Number.isNaN(createdMs)) head.createdMs = head.startedMs = createdMs;
    if (model !== undefined) head.model = model;
    head.cwd = this.wordText(ints[WORDS]!);
    if (ints[WORDS + 2] !== 0) head.branch = this.wordText(ints[WORDS + 2]!);
    if (ints[WORDS + 1] !== 0) head.agentVersion = this.wordText(ints[WORDS + 1]!);
    if (archived) head.archived = true;
    if (parentId !== undefined) head.parentId = parentId;
    if (forkedFrom !== undefined && forkedFrom !== parentId) head.forkedFrom = forkedFrom;
    if (id !== undefined) head.familyKeys = [id];
    if (usageUnknown) head.usageUnknown = true;
    return head;
  }

  /** Of the last turn that the last lines tell, else of the first one. */
  #lastModel(): string | undefined {
    const word = this.ints[WORDS + 3]! || this.exports.latestModel();
    return word === 0 ? undefined : this.wordText(word);
  }

  #tailFacts(): TailFacts {
    return { updatedMs: this.doubles[UPDATED]!, lastModel: this.ints[WORDS + 3]! };
  }

  #headBehindCopies(
    file: RolloutFile,
    name: string | undefined,
    { updatedMs, lastModel }: TailFacts,
  ): SessionHead | undefined {
    const { exports } = this;
    this.open(file.path, 0);
    try {
      const header = this.#goToHeader() ? this.begin() : undefined;
      if (header === undefined || !this.#goToOwnPrompt()) return undefined;
      const title = name ?? promptOf(this.line());
      if (title === undefined) return undefined;
      const model = lastModel || exports.latestModel();
      return headOf({
        header,
        title,
        updatedMs,
        model: model === 0 ? undefined : this.wordText(model),
        cwd: undefined,
        archived: file.archived,
        ancestors: this.ancestors(),
        hasCopies: exports.hasCopies() === 1,
        usageUnknown: false,
      });
    } finally {
      this.close();
    }
  }

  /** To the first line of the file that was opened; false when that is no header. */
  #goToHeader(): boolean {
    this.exports.startThread(1);
    this.exports.startPiece(0, 0, Number.POSITIVE_INFINITY);
    return this.advance(this.exports.nextCounted) === FILE_HEADER;
  }

  /** Past all copies; false when nothing was said after them, or something is out of the ordinary. */
  #goToOwnPrompt(): boolean {
    let state: number;
    do state = this.advance(this.exports.nextOwn);
    while (state === PROMPT && this.exports.isPromptCopied() === 1);
    return state === PROMPT;
  }
}
