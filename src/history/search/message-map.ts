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

/** Numbers of rows, in columns; hundreds of thousands of them as objects would take longer. */
interface Transcript {
  path: string;
  subagent: string | undefined;
  starts: number[];
  messages: number[];
  kinds: number[];
  /** Whether rows came in the order of the file. */
  isSorted: boolean;
}

export class MessageMapper {
  readonly #transcripts: Transcript[] = [];
  /** By state, then by tool. */
  readonly #numbers = new Map<number, Map<string, number>>();
  readonly #kinds: MessageKind[] = [];
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
      transcript = { path, subagent, starts: [], messages: [], kinds: [], isSorted: true };
      this.#transcripts.push(transcript);
    }
    if (path !== transcript.path) this.#isIncomplete = true;
    const kind = this.#numberOf(state, tool);
    for (const start of starts) {
      if (start > MOST_BYTES) this.#isIncomplete = true;
      if (start < (transcript.starts.at(-1) ?? 0)) transcript.isSorted = false;
      transcript.starts.push(start);
      transcript.messages.push(index);
      transcript.kinds.push(kind);
    }
  }

  #numberOf(state: number, tool: string): number {
    let byTool = this.#numbers.get(state);
    if (byTool === undefined) this.#numbers.set(state, (byTool = new Map()));
    let number = byTool.get(tool);
    if (number === undefined) {
      number = this.#kinds.push([state, tool]) - 1;
      if (number >= MOST_KINDS) this.#isIncomplete = true;
      byTool.set(tool, number);
    }
    return number;
  }

  /** Undefined when there is none. */
  bytes({ files }: SessionSource): Uint8Array | undefined {
    const described = this.#transcripts.map((transcript) => {
      const file = files.findIndex((each) => each.path === transcript.path);
      if (file === -1) this.#isIncomplete = true;
      return [file, transcript.subagent ?? null, transcript.starts.length, inOrder(transcript) ? 1 : 0] as const;
    });
    const count = described.reduce((sum, [, , rows]) => sum + rows, 0);
    if (this.#isIncomplete || count === 0) return undefined;
    const text = Buffer.from(JSON.stringify([described, this.#kinds]));
    const bytes = new Uint8Array(4 + 7 * count + text.length);
    const { buffer } = bytes;
    const starts = new Int32Array(buffer, 4, count);
    const messages = new Uint16Array(buffer, 4 + 4 * count, count);
    const kinds = new Uint8Array(buffer, 4 + 6 * count, count);
    new Int32Array(buffer, 0, 1)[0] = count;
    let row = 0;
    for (const transcript of this.#transcripts) {
      starts.set(transcript.starts, row);
      messages.set(transcript.messages, row);
      kinds.set(transcript.kinds, row);
      row += transcript.starts.length;
    }
    bytes.set(text, 4 + 7 * count);
    return bytes;
  }
}

/** Puts rows in the order of the file; tells whether those of messages are, too. */
function inOrder(transcript: Transcript): boolean {
  // In the order of the document they came.
  if (transcript.isSorted) return true;
  const { starts, messages, kinds } = transcript;
  const order = [...starts.keys()].sort((a, b) => starts[a]! - starts[b]! || messages[a]! - messages[b]!);
  transcript.starts = order.map((row) => starts[row]!);
  transcript.messages = order.map((row) => messages[row]!);
  transcript.kinds = order.map((row) => kinds[row]!);
  return transcript.messages.every((message, row) => row === 0 || message >= transcript.messages[row - 1]!);
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
