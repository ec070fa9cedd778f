/**
 * Where the messages of a session lie in its files, kept in the index: what is shown of one that was found is read there, and
 * nothing else of it. A file's rows are in the order of the file; a message that several records make has as many rows, and
 * a record that makes several messages, too.
 */
import type { SessionSource } from "../../agents/adapter.ts";
import type { DocumentMessage } from "./document.ts";

export interface MappedFile {
  /** Place among the session's files. */
  file: number;
  /** Id of the helper whose transcript it is. */
  subagent: string | undefined;
  /** Whether no row is of an earlier message than the row before it. */
  isOrdered: boolean;
  /** By row: offset of the record. */
  starts: Int32Array;
  /** By row: number of the message in its transcript. */
  messages: Uint16Array;
  /** By row: number of its kind. */
  kinds: Uint8Array;
}

/** What its adapter told of a message, and the tool whose output it is. */
export type MessageKind = readonly [state: number, tool: string];

export interface MessageMap {
  files: MappedFile[];
  /** By their numbers. */
  kinds: readonly MessageKind[];
}

const MOST_MESSAGES = 0xffff;
const MOST_KINDS = 0x100;
const MOST_BYTES = 0x7fff_ffff;

interface Row {
  start: number;
  message: number;
  kind: number;
}

interface Transcript {
  path: string;
  subagent: string | undefined;
  rows: Row[];
}

export class MessageMapper {
  readonly #transcripts: Transcript[] = [];
  readonly #kinds = new Map<string, number>();
  /** Whether some message is not to be found by itself: then there is no map. */
  #isIncomplete = false;

  /** In the order of the document. */
  add({ spot, index, subagent }: DocumentMessage): void {
    if (spot === undefined || index > MOST_MESSAGES) this.#isIncomplete = true;
    if (spot === undefined || this.#isIncomplete) return;
    const { path, starts, tool = "", state = 0 } = spot;
    let transcript = this.#transcripts.at(-1);
    // Each begins with its first message.
    if (transcript === undefined || index === 0) {
      transcript = { path, subagent, rows: [] };
      this.#transcripts.push(transcript);
    }
    const kind = this.#numberOf(JSON.stringify([state, tool] satisfies MessageKind));
    for (const start of starts) {
      if (start > MOST_BYTES || path !== transcript.path) this.#isIncomplete = true;
      transcript.rows.push({ start, message: index, kind });
    }
  }

  #numberOf(kind: string): number {
    let number = this.#kinds.get(kind);
    if (number === undefined) {
      number = this.#kinds.size;
      if (number >= MOST_KINDS) this.#isIncomplete = true;
      this.#kinds.set(kind, number);
    }
    return number;
  }

  /** Undefined when there is none. */
  bytes({ files }: SessionSource): Uint8Array | undefined {
    const described = this.#transcripts.map(({ path, subagent, rows }) => {
      const file = files.findIndex((each) => each.path === path);
      if (file === -1) this.#isIncomplete = true;
      rows.sort((a, b) => a.start - b.start || a.message - b.message);
      const isOrdered = rows.every(({ message }, at) => at === 0 || message >= rows[at - 1]!.message);
      return [file, subagent ?? null, rows.length, isOrdered ? 1 : 0] as const;
    });
    const rows = this.#transcripts.flatMap((transcript) => transcript.rows);
    if (this.#isIncomplete || rows.length === 0) return undefined;
    const text = Buffer.from(`[${JSON.stringify(described)},[${[...this.#kinds.keys()].join(",")}]]`);
    return Buffer.concat(
      [
        Int32Array.of(rows.length),
        Int32Array.from(rows, ({ start }) => start),
        Uint16Array.from(rows, ({ message }) => message),
        Uint8Array.from(rows, ({ kind }) => kind),
        text,
      ].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
    );
  }
}

export function messageMapOf(kept: Uint8Array): MessageMap {
  // A copy: numbers of four bytes do not lie everywhere.
  const { buffer } = new Uint8Array(kept);
  const [count] = new Int32Array(buffer, 0, 1);
  const messagesAt = 4 + 4 * count!;
  const kindsAt = messagesAt + 2 * count!;
  const text = Buffer.from(buffer, kindsAt + count!).toString("utf8");
  const [described, kinds] = JSON.parse(text) as [[number, string | null, number, number][], MessageKind[]];
  let first = 0;
  const files = described.map(([file, subagent, rows, isOrdered]): MappedFile => {
    const from = first;
    first += rows;
    return {
      file,
      subagent: subagent ?? undefined,
      isOrdered: isOrdered === 1,
      starts: new Int32Array(buffer, 4 + 4 * from, rows),
      messages: new Uint16Array(buffer, messagesAt + 2 * from, rows),
      kinds: new Uint8Array(buffer, kindsAt + from, rows),
    };
  });
  return { files, kinds };
}
