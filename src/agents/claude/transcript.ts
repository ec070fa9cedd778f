/**
 * The conversation in one transcript file. The first pass records the offset, kind and parent of each record; the second builds
 * messages one by one. A large file is never held in memory.
 */
import { closeSync } from "node:fs";
import type { SessionMessage } from "../../core/session.ts";
import { parseRecord, readAt, readLines } from "../../lib/json/jsonl.ts";
import { Conversation, idNumber, NO_PARENT } from "./conversation.ts";
import type { SessionReader } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { buildReply, buildToolResults, buildUser, type ToolResultOf } from "./message.ts";
import {
  blocksOf,
  choiceIn,
  idOf,
  isChain,
  isSidechain,
  isUnread,
  NO_TYPE,
  parentOf,
  replyId,
  unknownType,
  type ClaudeRecord,
} from "./format.ts";
import { kindOf } from "./record.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";

export interface TranscriptOptions {
  /** In a sub-agent's own file every record is marked as side-chain and is the main line. */
  subagentFile?: boolean;
  onRecord?: (record: ClaudeRecord) => void;
}

/** The parsed form takes about three times as much. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

export class Transcript {
  readonly path: string;
  readonly conversation = new Conversation();
  readonly #toolNames = new Map<string, string>();
  /** Records of a file that is small enough to keep in memory, so that none is parsed twice. */
  #kept: ClaudeRecord[] | undefined = [];
  /** It contains at least one record of Claude Code. */
  sawRecord = false;

  constructor(path: string, notes: ReadNotes, options: TranscriptOptions = {}) {
    this.path = path;
    const onLongLine = (): void => notes.damage(path);
    for (const line of readLines(path, { onLongLine })) {
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
      const unknown = unknownType(record);
      if (unknown === undefined) this.sawRecord = true;
      else {
        notes.unknown(unknown);
        if (unknown !== NO_TYPE) continue;
      }
      options.onRecord?.(record);
      if (line.offset > MAX_KEPT_BYTES) this.#kept = undefined;
      if (isChain(record)) this.#addChain(record, line.offset, line.bytes.length, options.subagentFile ?? false);
      else {
        const choice = choiceIn(record);
        if (choice) this.conversation.choose(choice.leaf === undefined ? undefined : idNumber(choice.leaf));
      }
    }
  }

  #addChain(record: ClaudeRecord, offset: number, length: number, subagentFile: boolean): void {
    this.#kept?.push(record);
    addParsed(this.conversation, record, offset, length, subagentFile, (name) => this.#intern(name));
  }

  /** One string per tool instead of one per call. */
  #intern(name: string): string {
    const known = this.#toolNames.get(name);
    if (known !== undefined) return known;
    this.#toolNames.set(name, name);
    return name;
  }

  /** Messages of the main line, in order. Results of calls are messages too; `joined` adds them to their calls. */
  messages(joined = true): Generator<SessionMessage> {
    return this.#build(this.conversation.mainLine(), joined);
  }

  aside(): ReturnType<NonNullable<SessionReader["aside"]>> {
    const { conversation } = this;
    const records = conversation.aside();
    const count = records.reduce((sum, index) => sum + conversation.messagesAt(index), 0);
    const messages = (): SessionMessage[] => [...this.#build(records)];
    return { count, messages };
  }

  /** Side-chains that versions before 2.0.28 wrote into the main file: one list of messages each, by first record. */
  *sidechains(): Generator<{ first: ClaudeRecord; messages: SessionMessage[] }> {
    const roots = this.conversation.sidechains();
    if (roots.size === 0) return;
    const fd = openForReading(this.path);
    try {
      for (const [root, members] of roots) {
        const first = this.#recordAt(fd, root);
        const shown = this.conversation.shown((index) => members.has(index));
        if (first) yield { first, messages: [...this.#build(shown)] };
      }
    } finally {
      closeSync(fd);
    }
  }

  *#build(shown: Iterable<number>, joined = true): Generator<SessionMessage> {
    const { conversation } = this;
    const { records } = conversation;
    const fd = openForReading(this.path);
    try {
      const resultOf: ToolResultOf = (callId) => {
        const index = joined ? conversation.resultOf(callId) : undefined;
        return index === undefined ? undefined : this.#recordAt(fd, index);
      };
      for (const index of shown) {
        const kind = records.kind(index);
        const record = this.#recordAt(fd, index);
        if (record === undefined) continue;
        if (kind === "reply") yield buildReply(this.#recordsOfReply(fd, index), resultOf);
        else if (kind === "tool-result") yield* buildToolResults(record, (callId) => conversation.toolOf(callId));
        else yield buildUser(record, kind);
      }
    } finally {
      closeSync(fd);
    }
  }

  /** The records of the main line's messages up to one, in file order, with the context between them. */
  *recordsUpTo(last: number): Generator<ClaudeRecord> {
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

  #recordsOfReply(fd: number, index: number): ClaudeRecord[] {
    const parts: ClaudeRecord[] = [];
    for (const part of this.conversation.records.reply(index)) {
      const record = this.#recordAt(fd, part);
      if (record) parts.push(record);
    }
    return parts;
  }

  #recordAt(fd: number, index: number): ClaudeRecord | undefined {
    const { records } = this.conversation;
    return this.#kept?.[index] ?? parseRecord(readAt(fd, records.offset(index), records.size(index)));
  }
}

/** Adds a parsed record of the chain. */
function addParsed(
  conversation: Conversation,
  record: ClaudeRecord,
  offset: number,
  length: number,
  subagentFile: boolean,
  intern: (name: string) => string,
): number {
  const kind = kindOf(record);
  const id = idOf(record);
  const parent = parentOf(record);
  const index = conversation.add({
    offset,
    length,
    kind,
    id: id === undefined ? undefined : idNumber(id),
    parent: parent === undefined ? NO_PARENT : idNumber(parent),
    isSide: isSidechain(record) && !subagentFile,
  });
  if (kind !== "reply" && kind !== "tool-result") return index;
  const reply = kind === "reply" ? replyId(record) : undefined;
  if (reply !== undefined) conversation.addToReply(index, reply);
  for (const block of blocksOf(record)) {
    if (kind === "tool-result" && block.kind === "result") conversation.addResult(index, block.callId);
    else if (kind === "reply" && block.kind === "call" && block.id !== undefined)
      conversation.addCall(index, block.id, intern(block.tool));
  }
  return index;
}
