/** The words of a session's document as the index takes them: in rows, each of which is a passage or a piece of one. */
import type { GrowthPoint } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { DocumentMessage } from "./document.ts";
import type { TextState } from "./growth.ts";
import type { MessageMapper } from "./message-map.ts";
import { PassageWords } from "./passage-words.ts";

/** The passage of the title. */
export const TITLE_PASSAGE = 0;
/** That of the first message. */
const FIRST_PASSAGE = 1;

export interface IndexedRow {
  passage: number;
  /** Each once, with blanks between them. */
  words: string;
}

export interface IndexedText {
  rows: IndexedRow[];
  /** Positions. */
  length: number;
  /** Of those who answered in it. */
  models: Set<string>;
  /** At the point from which it can be read on, if that was met. */
  state: TextState | undefined;
}

export interface TextOptions {
  point: GrowthPoint | undefined;
  /** Passage that the document goes on with, and the first number that is free. */
  passage?: number;
  nextPassage?: number;
  mapper?: MessageMapper;
}

/** One for all: it is emptied by every row. */
const words = new PassageWords();

export function titleRow(title: string): { row: IndexedRow; length: number } {
  const length = words.add(oneLine(title));
  return { row: { passage: TITLE_PASSAGE, words: words.take() }, length };
}

/** What lies behind the point gets rows of its own: they are written anew when the session is read on. */
export function indexedText(document: Iterable<DocumentMessage>, options: TextOptions): IndexedText {
  const { point, mapper } = options;
  const text: IndexedText = { rows: [], length: 0, models: new Set(), state: undefined };
  let { passage = FIRST_PASSAGE, nextPassage = FIRST_PASSAGE } = options;
  let isOpen = false;
  const begin = (next: number): void => {
    if (isOpen) text.rows.push({ passage, words: words.take() });
    isOpen = true;
    passage = next;
  };
  try {
    for (const message of document) {
      if (message.startsPassage) begin(nextPassage++);
      else if (!isOpen) begin(passage);
      const isOwn = message.subagent === undefined;
      if (isOwn && message.index === point?.message) {
        if (!message.startsPassage) begin(passage);
        const passageLength = message.startsPassage ? 0 : message.passageLength;
        text.state = { length: text.length, passage, passageLength, nextPassage, rows: [0, 0] };
        text.state.rows[0] = text.rows.length;
      }
      if (isOwn && text.state) text.state.rows[1] = text.rows.length;
      if (message.model !== undefined) text.models.add(message.model);
      let positions = 0;
      for (const part of message.parts) positions += words.add(part.text);
      text.length += positions;
      // Helpers' messages are not read again when the session has grown.
      if (!isOwn && text.state) text.state.length += positions;
      mapper?.add(message);
    }
    if (isOpen) text.rows.push({ passage, words: words.take() });
  } finally {
    // Of a session that could not be read to its end.
    words.take();
  }
  if (text.state) text.state.nextPassage = nextPassage;
  return text;
}
