/**
 * A transcript for whoever looks for words in it: as `transcript.ts` has it, but nothing is parsed that can be told from
 * where it lies. Lines that leave a doubt are parsed, and messages with such a line are built.
 */
import { closeSync, readSync } from "node:fs";
import type { MessageRole, SessionMessage } from "../../core/session.ts";
import { asText, type Json } from "../../lib/fields.ts";
import { DAMAGED, END, ODD, STRING } from "../../lib/json-lines.ts";
import { parseRecord } from "../../lib/jsonl.ts";
import type { ReadNotes } from "../read-notes.ts";
import { MORE_TEXT, TEXT, VALUE, type Spot, type TextMessage } from "../text-message.ts";
import { Conversation, NO_PARENT } from "./conversation.ts";
import { buildReply, buildToolResults, buildUser } from "./message.ts";
import { isChain, isKnownType, type RecordKind } from "./record.ts";
import { textScan } from "./text-scan.ts";
import { addParsed, chosenBy, isChoice } from "./transcript.ts";
import { openForReading } from "../../lib/foreign-file.ts";

/** A larger file is not held in memory, and so has to be parsed. */
export const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** Blocks of a record that have text: what it is, where it begins and ends; of a call, its name first and then its input. */
const CONTENT = 0;
const THINKING = 1;
const CALL_NAME = 2;
const CALL_INPUT = 3;
const RESULT = 4;

export class TextTranscript {
  readonly conversation = new Conversation();
  /** Whether a person or a model said anything. */
  hasConversation = false;
  readonly #scan = textScan();
  readonly #path: string;
  readonly #subagentFile: boolean;
  #bytes: Buffer;
  /** By record: where its blocks begin among all; -1 for one that was parsed. */
  readonly #blocksOf: number[] = [];
  /** Three numbers for each. */
  readonly #blocks: number[] = [];
  readonly #modelOf: (string | undefined)[] = [];
  #damaged = 0;
  readonly #unknown: string[] = [];

  /** Throws when the file cannot be opened. */
  constructor(path: string, bytes: number, subagentFile: boolean) {
    this.#path = path;
    this.#subagentFile = subagentFile;
    this.#scan.open(path, bytes);
    for (let state = this.#scan.next(); state !== END; state = this.#scan.next()) {
      if (state === DAMAGED) {
        // The last line of a file that is being written is not damage.
        if (this.#scan.complete) this.#damaged++;
      } else if (state === ODD || !this.#take()) this.#parse();
    }
    // Afterwards: whatever was added meanwhile, all that was seen is there.
    this.#bytes = bytesOf(path);
  }

  /** Tells what was wrong with it. */
  tell(notes: ReadNotes, path: string): void {
    for (let i = 0; i < this.#damaged; i++) notes.damage(path);
    for (const type of this.#unknown) notes.unknown(type);
  }

  #parse(): void {
    const line = this.#scan.line();
    const record = parseRecord(line);
    if (record === undefined) {
      if (this.#scan.complete) this.#damaged++;
      return;
    }
    const type = asText(record["type"]);
    if (!isKnownType(type)) this.#unknown.push(type ?? "(no type)");
    else if (isChain(type)) this.#addParsed(record, line.length);
    else if (isChoice(record)) this.conversation.choose(chosenBy(record));
  }

  #addParsed(record: Json, length: number): void {
    const { lineOffset } = this.#scan;
    const index = addParsed(this.conversation, record, lineOffset, length, this.#subagentFile, (name) => name);
    this.#see(this.conversation.records.kind(index), record["isSidechain"] === true);
    this.#blocksOf.push(-1);
    this.#modelOf.push(undefined);
  }

  #see(kind: RecordKind, isSide: boolean): void {
    if (kind !== "context" && !isSide) this.hasConversation = true;
  }

  /** False when the line has to be parsed. */
  #take(): boolean {
    const scan = this.#scan;
    const { at, named } = scan;
    const type = scan.textId(at.type);
    if (type !== named.user && type !== named.assistant && type !== named.system && type !== named.attachment) {
      if (type === 0 || (type === named.lastPrompt && scan.isTrue(at.explicit))) return false;
      const name = scan.textOfWord(type);
      if (!isKnownType(name)) this.#unknown.push(name);
      return true;
    }
    const kind = this.#kindOf(type);
    if (kind === undefined) return false;
    const isSide = scan.isTrue(at.isSidechain);
    const start = this.#blocks.length;
    if (!this.#takeBlocks(kind)) {
      this.#blocks.length = start;
      return false;
    }
    this.#add(kind, isSide);
    this.#blocksOf.push(start);
    return true;
  }

  #add(kind: RecordKind, isSide: boolean): void {
    const scan = this.#scan;
    const { at, inBlock } = scan;
    const offset = scan.lineOffset;
    const index = this.conversation.add({
      offset,
      length: scan.lineEnd - offset,
      kind,
      id: scan.idNumber(at.uuid),
      parent: scan.idNumber(at.parentUuid) ?? scan.idNumber(at.logicalParentUuid) ?? NO_PARENT,
      isSide: isSide && !this.#subagentFile,
    });
    this.#see(kind, isSide);
    this.#modelOf.push(kind === "reply" ? scan.textOfWord(scan.textId(at.model)) : undefined);
    if (kind === "reply") {
      this.conversation.addToReply(index, scan.idText(at.messageId));
      for (let item = 0; item < scan.items; item++) {
        const callId = this.#isCall(item) ? scan.itemIdText(item, inBlock.id) : undefined;
        if (callId !== undefined)
          this.conversation.addCall(index, callId, scan.textOfWord(scan.itemId(item, inBlock.name)));
      }
    } else if (kind === "tool-result") {
      for (let item = 0; item < scan.items; item++) {
        const callId = scan.itemIdText(item, inBlock.toolUseId);
        if (callId !== undefined) this.conversation.addResult(index, callId);
      }
    }
  }

  /** Undefined when that takes a closer look. */
  #kindOf(type: number): RecordKind | undefined {
    const scan = this.#scan;
    const { at, inBlock, named } = scan;
    if (type === named.system) return "context";
    if (type === named.attachment) {
      const attachment = scan.id(at.attachmentType);
      return attachment === 0 || attachment === named.queuedCommand ? undefined : "context";
    }
    if (type === named.assistant) {
      const model = scan.textId(at.model);
      if (scan.isTrue(at.isApiErrorMessage) || model === 0 || !scan.isText(at.messageId)) return undefined;
      return model === named.synthetic ? "context" : "reply";
    }
    for (let item = 0; item < scan.items; item++) {
      if (scan.itemKind(item, inBlock.type) !== STRING) continue;
      const blockType = scan.itemId(item, inBlock.type);
      if (blockType === named.toolResult) return "tool-result";
      if (blockType === 0) return undefined;
    }
    if (scan.isTrue(at.isCompactSummary)) return undefined;
    if (scan.isTrue(at.isMeta)) return "context";
    return scan.kind(at.content) === STRING && isTyped(scan.firstByte(at.content)) ? "prompt" : undefined;
  }

  #isCall(item: number): boolean {
    const { inBlock, named } = this.#scan;
    const type = this.#scan.itemId(item, inBlock.type);
    return type !== 0 && (type === named.toolUse || type === named.serverToolUse || type === named.mcpToolUse);
  }

  /** False when the record holds something else than texts in their places. */
  #takeBlocks(kind: RecordKind): boolean {
    const scan = this.#scan;
    const { at } = scan;
    if (kind === "context") return true;
    if (scan.kind(at.content) === STRING) {
      // A result is always a block.
      this.#blocks.push(CONTENT, scan.startOf(at.content), scan.endOf(at.content));
      return kind !== "tool-result";
    }
    for (let item = 0; item < scan.items; item++) {
      const isTaken = kind === "reply" ? this.#takeReplyBlock(item) : this.#takeResult(item);
      if (!isTaken) return false;
    }
    return true;
  }

  #takeReplyBlock(item: number): boolean {
    const scan = this.#scan;
    const { inBlock, named } = scan;
    const type = scan.itemId(item, inBlock.type);
    if (type === 0) return false;
    if (type === named.text) return this.#takeString(item, inBlock.text, CONTENT);
    if (type === named.thinking) return this.#takeString(item, inBlock.thinking, THINKING);
    if (!this.#isCall(item)) return type !== named.redactedThinking;
    if (scan.itemKind(item, inBlock.name) === STRING && scan.itemId(item, inBlock.name) === 0) return false;
    if (!this.#takeString(item, inBlock.name, CALL_NAME)) return false;
    if (scan.itemKind(item, inBlock.input) === 0) return false;
    const start = scan.itemStart(item, inBlock.input);
    // A string's own place is inside of its quotes.
    const isString = scan.itemKind(item, inBlock.input) === STRING;
    this.#blocks.push(CALL_INPUT, isString ? start - 1 : start, scan.lineEnd);
    return true;
  }

  #takeResult(item: number): boolean {
    const { toolUseId, content } = this.#scan.inBlock;
    if (this.#scan.itemIdText(item, toolUseId) === undefined) return this.#scan.itemKind(item, toolUseId) === 0;
    return this.#takeString(item, content, RESULT);
  }

  #takeString(item: number, field: number, what: number): boolean {
    const scan = this.#scan;
    if (scan.itemKind(item, field) !== STRING) return false;
    this.#blocks.push(what, scan.itemStart(item, field), scan.itemEnd(item, field));
    return true;
  }

  /** Messages of the main line, in order. */
  *messages(): Generator<TextMessage> {
    const { records } = this.conversation;
    for (const index of this.conversation.mainLine()) {
      const kind = records.kind(index);
      if (kind === "reply") yield this.#reply(index);
      else if (kind === "tool-result") yield* this.#results(index);
      else {
        const raw = this.#raw([index], CONTENT);
        const build = (): SessionMessage => buildUser(this.#recordAt(index), kind);
        const role: MessageRole = kind === "prompt" ? "user" : "system";
        yield { role, raw: raw && { bytes: this.#bytes, pieces: raw }, spot: this.#spot([index]), build };
      }
    }
  }

  #reply(index: number): TextMessage {
    const parts = [...this.conversation.records.reply(index)];
    const model = this.#modelOf[index];
    const build = (): SessionMessage =>
      buildReply(
        parts.map((part) => this.#recordAt(part)),
        () => undefined,
      );
    const spot = this.#spot(parts);
    const content = this.#raw(parts, CONTENT);
    if (content === undefined) {
      const message = build();
      return { role: "assistant", model: message.model, spot, build: () => message };
    }
    const pieces = [...content, ...this.#raw(parts, THINKING)!, ...this.#calls(parts)];
    return { role: "assistant", model, raw: { bytes: this.#bytes, pieces }, spot, build };
  }

  #spot(records: readonly number[], tool?: string): Spot {
    return { path: this.#path, starts: records.map((index) => this.conversation.records.offset(index)), tool };
  }

  *#results(index: number): Generator<TextMessage> {
    const build = (): SessionMessage[] => [
      ...buildToolResults(this.#recordAt(index), (callId) => this.conversation.toolOf(callId)),
    ];
    const role: MessageRole = "tool";
    if (this.#blocksOf[index] === -1) {
      for (const message of build())
        yield { role, spot: this.#spot([index], message.toolResult?.toolName), build: () => message };
      return;
    }
    const calls = this.conversation.resultsIn(index);
    const end = this.#endOfBlocks(index);
    for (let at = this.#blocksOf[index]!, number = 0; at < end; at += 3, number++) {
      const pieces = [TEXT, this.#blocks[at + 1]!, this.#blocks[at + 2]!];
      const spot = this.#spot([index], this.conversation.toolOf(calls[number] ?? ""));
      yield { role, raw: { bytes: this.#bytes, pieces }, spot, build: () => build()[number]! };
    }
  }

  #endOfBlocks(index: number): number {
    for (let next = index + 1; next < this.#blocksOf.length; next++)
      if (this.#blocksOf[next] !== -1) return this.#blocksOf[next]!;
    return this.#blocks.length;
  }

  /** Pieces of this kind as one text; undefined when one of the records was parsed. */
  #raw(records: readonly number[], what: number): number[] | undefined {
    const pieces: number[] = [];
    for (const index of records) {
      const start = this.#blocksOf[index]!;
      if (start === -1) return undefined;
      const end = this.#endOfBlocks(index);
      for (let at = start; at < end; at += 3) {
        if (this.#blocks[at] !== what) continue;
        pieces.push(pieces.length === 0 ? TEXT : MORE_TEXT, this.#blocks[at + 1]!, this.#blocks[at + 2]!);
      }
    }
    return pieces;
  }

  *#calls(records: readonly number[]): Generator<number> {
    for (const index of records) {
      const end = this.#endOfBlocks(index);
      for (let at = this.#blocksOf[index]!; at < end; at += 3) {
        const what = this.#blocks[at]!;
        if (what !== CALL_NAME && what !== CALL_INPUT) continue;
        yield what === CALL_NAME ? TEXT : VALUE;
        yield this.#blocks[at + 1]!;
        yield this.#blocks[at + 2]!;
      }
    }
  }

  #recordAt(index: number): Json {
    const { records } = this.conversation;
    const offset = records.offset(index);
    return parseRecord(this.#bytes.subarray(offset, offset + records.size(index))) ?? {};
  }
}

/** What was not typed by a person begins with a tag, a bracket or "Caveat:"; those are looked at more closely. */
function isTyped(byte: number): boolean {
  return byte !== 0 && byte !== 0x3c && byte !== 0x5b && byte !== 0x43 && byte !== 0x5c && byte < 0x80;
}

let held = Buffer.allocUnsafeSlow(1024 * 1024);

/** All of a file. Valid until the next one is asked for. */
export function bytesOf(path: string): Buffer {
  const fd = openForReading(path);
  try {
    for (let length = 0; ;) {
      const got = readSync(fd, held, length, held.length - length, null);
      length += got;
      if (length < held.length || got === 0) return held.subarray(0, length);
      held = Buffer.concat([held, Buffer.allocUnsafeSlow(held.length)]);
    }
  } finally {
    closeSync(fd);
  }
}
