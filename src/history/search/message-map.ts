/**
 * Maps the messages of a session to offsets in its files. It is stored in the index, so that snippets need only these parts. Rows
 * are in file order. A message made of several records has several rows, and so has a record that makes several messages.
 */
import type { SessionSource } from "../../agents/adapter.ts";
import type { DocumentMessage } from "./document.ts";

export interface MappedFile {
  /** Index into the session's files. */
  file: number;
  /** Id of the sub-agent whose transcript it is. */
  subagent: string | undefined;
  /** Whether message numbers never decrease from row to row. */
  isOrdered: boolean;
  /** By row: offset of the record. */
  starts: Int32Array;
  /** By row: number of the message in its transcript. */
  messages: Uint16Array;
  /** By row: number of its kind. */
  kinds: Uint8Array;
}

/** The adapter's state for a message, and the tool whose output it is. */
export type MessageKind = readonly [state: number, tool: string];

export interface MessageMap {
  files: MappedFile[];
  /** By their numbers. */
  kinds: readonly MessageKind[];
}

const MOST_MESSAGES = 0xffff;
const MOST_KINDS = 0x100;
const MOST_BYTES = 0x7fff_ffff;

/** Rows in columns: hundreds of thousands of objects would be slower. */
interface Transcript {
  path: string;
  subagent: string | undefined;
  starts: number[];
  messages: number[];
  kinds: number[];
  /** Whether rows arrived in file order. */
  isSorted: boolean;
}

export class MessageMapper {
  readonly #transcripts: Transcript[] = [];
  /** By state, then by tool. */
  readonly #numbers = new Map<number, Map<string, number>>();
  readonly #kinds: MessageKind[] = [];
  /** Whether a message cannot be located on its own: then there is no map. */
  #isIncomplete = false;

  /** In document order. */
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

  /** Undefined if there is no map. */
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

/** Sorts rows into file order; returns whether their messages are in order too. */
function inOrder(transcript: Transcript): boolean {
  // They arrived in document order.
  if (transcript.isSorted) return true;
  const { starts, messages, kinds } = transcript;
  const order = [...starts.keys()].sort((a, b) => starts[a]! - starts[b]! || messages[a]! - messages[b]!);
  transcript.starts = order.map((row) => starts[row]!);
  transcript.messages = order.map((row) => messages[row]!);
  transcript.kinds = order.map((row) => kinds[row]!);
  return transcript.messages.every((message, row) => row === 0 || message >= transcript.messages[row - 1]!);
}

export function messageMapOf(kept: Uint8Array): MessageMap {
  // A copy, because 4-byte numbers need alignment.
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
