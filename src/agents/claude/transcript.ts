/**
 * The conversation in one transcript file. Two passes: the first notes where each record lies, what it is and what it
 * hangs on; the second builds messages one by one from those places. A large file is never held in memory.
 */
import { closeSync } from "node:fs";
import type { SessionMessage } from "../../core/session.ts";
import { asText, type Json } from "../../lib/fields.ts";
import { parseRecord, readAt, readLines } from "../../lib/jsonl.ts";
import { Conversation, idNumber, NO_PARENT, type TranscriptPoint } from "./conversation.ts";
import type { SessionReader } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { buildReply, buildToolResults, buildUser, type ToolResultOf } from "./message.ts";
import { blocksOf, isCall, isChain, isKnownType, isUnread, kindOf, replyId } from "./record.ts";
import { openForReading } from "../../lib/foreign-file.ts";

export interface TranscriptOptions {
  /** In a sub-agent's own file every record is marked as side-chain and is the main line. */
  subagentFile?: boolean;
  onRecord?: (record: Json) => void;
  /** Only what lies behind it. */
  from?: TranscriptPoint;
}

export interface PlacedMessage {
  message: SessionMessage;
  /** Where its records begin in the file. */
  starts: number[];
}

/** Parsed, this takes some three times as much. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

export class Transcript {
  readonly path: string;
  readonly conversation: Conversation;
  readonly #toolNames = new Map<string, string>();
  /** The records of a file that is small enough to be held: none of them has to be parsed again. */
  #kept: Json[] | undefined = [];
  /** Something in it is a record of this program. */
  sawRecord = false;

  constructor(path: string, notes: ReadNotes, options: TranscriptOptions = {}) {
    this.path = path;
    this.conversation = new Conversation(options.from);
    const from = options.from?.offset ?? 0;
    const onLongLine = (): void => notes.damage(path);
    for (const line of readLines(path, { onLongLine, from })) {
      if (isUnread(line.bytes)) {
        this.sawRecord = true;
        continue;
      }
      const record = parseRecord(line.bytes);
      if (record === undefined) {
        // The last line of a file that is being written is not damage.
        if (line.complete) notes.damage(path);
        continue;
      }
      const type = asText(record["type"]);
      if (isKnownType(type)) this.sawRecord = true;
      else {
        notes.unknown(type ?? "(no type)");
        if (type !== undefined) continue;
      }
      options.onRecord?.(record);
      if (line.offset - from > MAX_KEPT_BYTES) this.#kept = undefined;
      if (isChain(type)) this.#addChain(record, line.offset, line.bytes.length, options.subagentFile ?? false);
      else if (isChoice(record)) this.conversation.choose(chosenBy(record));
    }
  }

  #addChain(record: Json, offset: number, length: number, subagentFile: boolean): void {
    this.#kept?.push(record);
    addParsed(this.conversation, record, offset, length, subagentFile, (name) => this.#intern(name));
  }

  /** One string for each tool instead of one for each call. */
  #intern(name: string): string {
    const known = this.#toolNames.get(name);
    if (known !== undefined) return known;
    this.#toolNames.set(name, name);
    return name;
  }

  /** Messages of the main line, in order. */
  *messages(): Generator<SessionMessage> {
    for (const { message } of this.#build(this.conversation.mainLine())) yield message;
  }

  aside(): ReturnType<NonNullable<SessionReader["aside"]>> {
    const { conversation } = this;
    const records = conversation.aside();
    const count = records.reduce((sum, index) => sum + conversation.messagesAt(index), 0);
    const messages = (): SessionMessage[] => Array.from(this.#build(records), ({ message }) => message);
    return { count, messages };
  }

  /** The same with where they lie; the outputs of calls are only given where they stand. */
  placed(): Generator<PlacedMessage> {
    return this.#build(this.conversation.mainLine(), () => undefined);
  }

  /** Side-chains that versions before 2.0.28 wrote into the main file: one list of messages each, by their first record. */
  *sidechains(): Generator<{ first: Json; messages: SessionMessage[] }> {
    const roots = this.conversation.sidechains();
    if (roots.size === 0) return;
    const fd = openForReading(this.path);
    try {
      for (const [root, members] of roots) {
        const first = this.#recordAt(fd, root);
        const shown = this.conversation.shown((index) => members.has(index));
        if (first) yield { first, messages: Array.from(this.#build(shown), ({ message }) => message) };
      }
    } finally {
      closeSync(fd);
    }
  }

  *#build(shown: Iterable<number>, outputs?: ToolResultOf): Generator<PlacedMessage> {
    const { conversation } = this;
    const { records } = conversation;
    const fd = openForReading(this.path);
    try {
      const resultOf: ToolResultOf = (callId) => {
        const index = conversation.resultOf(callId);
        return index === undefined ? undefined : this.#recordAt(fd, index);
      };
      for (const index of shown) {
        const kind = records.kind(index);
        const record = this.#recordAt(fd, index);
        if (record === undefined) continue;
        const starts = [records.offset(index)];
        if (kind === "reply") {
          const message = buildReply(this.#recordsOfReply(fd, index), outputs ?? resultOf);
          yield { message, starts: Array.from(records.reply(index), (part) => records.offset(part)) };
        } else if (kind === "tool-result") {
          const toolOf = (callId: string): string => conversation.toolOf(callId);
          for (const message of buildToolResults(record, toolOf)) yield { message, starts };
        } else yield { message: buildUser(record, kind), starts };
      }
    } finally {
      closeSync(fd);
    }
  }

  /** The records of the main line's messages up to one, in the order of the file, with the context between them. */
  *recordsUpTo(last: number): Generator<Json> {
    const fd = openForReading(this.path);
    try {
      for (const index of this.conversation.recordsUpTo(last)) {
        const record = this.#recordAt(fd, index);
        if (record) yield record;
      }
    } finally {
      closeSync(fd);
    }
  }

  #recordsOfReply(fd: number, index: number): Json[] {
    const parts: Json[] = [];
    for (const part of this.conversation.records.reply(index)) {
      const record = this.#recordAt(fd, part);
      if (record) parts.push(record);
    }
    return parts;
  }

  #recordAt(fd: number, index: number): Json | undefined {
    const { records } = this.conversation;
    return this.#kept?.[index] ?? parseRecord(readAt(fd, records.offset(index), records.size(index)));
  }
}

/** Adds a parsed record of the chain. */
function addParsed(
  conversation: Conversation,
  record: Json,
  offset: number,
  length: number,
  subagentFile: boolean,
  intern: (name: string) => string,
): number {
  const kind = kindOf(record);
  const id = asText(record["uuid"]);
  // A compaction boundary has no parent but says what it follows.
  const parent = asText(record["parentUuid"]) ?? asText(record["logicalParentUuid"]);
  const index = conversation.add({
    offset,
    length,
    kind,
    id: id === undefined ? undefined : idNumber(id),
    parent: parent === undefined ? NO_PARENT : idNumber(parent),
    isSide: record["isSidechain"] === true && !subagentFile,
  });
  if (kind === "reply") {
    const reply = replyId(record);
    if (reply !== undefined) conversation.addToReply(index, reply);
    for (const block of blocksOf(record)) {
      const callId = asText(block["id"]);
      if (isCall(block) && callId !== undefined)
        conversation.addCall(index, callId, intern(asText(block["name"]) ?? ""));
    }
  } else if (kind === "tool-result") {
    for (const block of blocksOf(record)) {
      const callId = asText(block["tool_use_id"]);
      if (callId !== undefined) conversation.addResult(index, callId);
    }
  }
  return index;
}

/** Whether the record says which one to go on from. */
function isChoice(record: Json): boolean {
  return record["type"] === "last-prompt" && record["explicit"] === true;
}

function chosenBy(record: Json): number | undefined {
  const leaf = asText(record["leafUuid"]);
  return leaf === undefined ? undefined : idNumber(leaf);
}
