/**
 * All sessions as they are sent. The list may have thousands and changes all the time, but nearly always at its beginning,
 * where the live ones are: it is kept in blocks, counted from its end, and only those that changed are written again.
 */
import type { SessionStore } from "../store/store.ts";
import { Written } from "./answers.ts";

/** Sessions in a block: some hundred kilobytes. */
const BLOCK = 256;

interface Block {
  texts: readonly string[];
  bytes: Buffer;
}

export class WrittenList {
  readonly #store: Pick<SessionStore, "version" | "listJson">;
  /** The oldest sessions first. */
  #blocks: Block[] = [];
  #last: { version: number; written: Written } | undefined;

  constructor(store: Pick<SessionStore, "version" | "listJson">) {
    this.#store = store;
  }

  current(): Written {
    const { version } = this.#store;
    if (this.#last?.version !== version) this.#last = { version, written: this.#write() };
    return this.#last.written;
  }

  #write(): Written {
    const texts = this.#store.listJson();
    const blocks: Block[] = [];
    for (let end = texts.length; end > 0; end -= BLOCK) {
      blocks.push(blockOf(texts.slice(Math.max(0, end - BLOCK), end), this.#blocks[blocks.length]));
    }
    this.#blocks = blocks;
    return Written.list(blocks.map(({ bytes }) => bytes).reverse());
  }
}

function blockOf(texts: readonly string[], before: Block | undefined): Block {
  const isSame = before?.texts.length === texts.length && texts.every((text, at) => text === before.texts[at]);
  return isSame ? before : { texts, bytes: Buffer.from(texts.join(",")) };
}
