/**
 * The encoded session list. It may have thousands of rows but changes mostly at its beginning: it is kept in blocks, and only
 * changed ones are encoded again.
 */
import type { SessionStore } from "../store/store.ts";
import { EncodedAnswer } from "./answers.ts";

/** Sessions per block: some hundred kilobytes. */
const BLOCK = 256;

interface Block {
  texts: readonly string[];
  bytes: Buffer;
}

export class EncodedList {
  readonly #store: Pick<SessionStore, "version" | "listJson">;
  /** Oldest sessions first. */
  #blocks: Block[] = [];
  #last: { version: number; written: EncodedAnswer } | undefined;

  constructor(store: Pick<SessionStore, "version" | "listJson">) {
    this.#store = store;
  }

  current(): EncodedAnswer {
    const { version } = this.#store;
    if (this.#last?.version !== version) this.#last = { version, written: this.#write() };
    return this.#last.written;
  }

  #write(): EncodedAnswer {
    const texts = this.#store.listJson();
    const blocks: Block[] = [];
    for (let end = texts.length; end > 0; end -= BLOCK) {
      blocks.push(blockOf(texts.slice(Math.max(0, end - BLOCK), end), this.#blocks[blocks.length]));
    }
    this.#blocks = blocks;
    return EncodedAnswer.list(blocks.map(({ bytes }) => bytes).reverse());
  }
}

function blockOf(texts: readonly string[], before: Block | undefined): Block {
  const isSame = before?.texts.length === texts.length && texts.every((text, at) => text === before.texts[at]);
  return isSame ? before : { texts, bytes: Buffer.from(texts.join(",")) };
}
