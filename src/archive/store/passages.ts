/** The words of a session by passage, exactly as in the local index. */
import { oneLine } from "../../lib/text/text.ts";
import { documentOf, PassageWords } from "../../history/search/document.ts";
import { readerOfArchived, type ArchivedSession } from "../archived-session.ts";

export interface Passage {
  /** 0 is the title. */
  passage: number;
  /** With spaces between them, each once. */
  words: string;
}

export interface SessionText {
  passages: Passage[];
  /** Number of positions. */
  length: number;
  /** Every model named in it. */
  models: string[];
}

/** A tsvector holds at most 1 MB; each word has a few bytes of overhead. */
const MAX_BYTES = 400_000;

export function passagesOf(session: ArchivedSession): SessionText {
  const words = new PassageWords();
  const passages: Passage[] = [];
  let number = 0;
  const close = (): void => {
    for (const piece of pieces(words.take())) passages.push({ passage: number, words: piece });
    number++;
  };
  const { head, wholeHead, usage } = session;
  const models = new Set([head, wholeHead, ...usage].flatMap(({ model }) => model ?? []));
  let length = words.add(oneLine(head.title));
  close();
  let isFirst = true;
  for (const message of documentOf(readerOfArchived(session))) {
    if (message.startsPassage && !isFirst) close();
    isFirst = false;
    if (message.model !== undefined) models.add(message.model);
    for (const part of message.parts) length += words.add(part.text);
  }
  close();
  return { passages, length, models: [...models] };
}

function* pieces(words: string): Generator<string> {
  let from = 0;
  // Counts three bytes per character.
  while ((words.length - from) * 3 > MAX_BYTES) {
    const to = words.lastIndexOf(" ", from + MAX_BYTES / 3);
    yield words.slice(from, to);
    from = to + 1;
  }
  if (from < words.length) yield words.slice(from);
}
