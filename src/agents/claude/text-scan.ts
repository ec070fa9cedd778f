/** The lines of a transcript for whoever looks for words in it: what each record is, and where its texts lie. */
import { JsonLines, STRING, TRUE } from "../../lib/json-lines.ts";
import { idNumber } from "./conversation.ts";
import { UNREAD_PREFIXES } from "./record.ts";

const FIELDS = [
  { path: "type", as: "word" },
  { path: "uuid", as: "id" },
  { path: "parentUuid", as: "id" },
  { path: "logicalParentUuid", as: "id" },
  { path: "isSidechain" },
  { path: "isMeta" },
  { path: "isCompactSummary" },
  { path: "isApiErrorMessage" },
  { path: "explicit" },
  { path: "attachment.type", as: "word" },
  { path: "message.id", as: "id" },
  { path: "message.model", as: "word" },
  { path: "message.content" },
  { path: "message.content[].type", as: "word" },
  { path: "message.content[].id", as: "id" },
  { path: "message.content[].tool_use_id", as: "id" },
  { path: "message.content[].name", as: "word" },
  { path: "message.content[].text" },
  { path: "message.content[].thinking" },
  { path: "message.content[].input" },
  { path: "message.content[].content" },
] as const;

// In a line's own fields, as in lib/json-lines.ts.
const PLACES = 256;

let shared: TextScan | undefined;

/** Made when first needed: compiling the scanner takes longer than reading a small file. */
export function textScan(): TextScan {
  shared ??= new TextScan();
  return shared;
}

export class TextScan extends JsonLines {
  /** Handles of fields. */
  readonly at = {
    type: this.field("type"),
    uuid: this.field("uuid"),
    parentUuid: this.field("parentUuid"),
    logicalParentUuid: this.field("logicalParentUuid"),
    isSidechain: this.field("isSidechain"),
    isMeta: this.field("isMeta"),
    isCompactSummary: this.field("isCompactSummary"),
    isApiErrorMessage: this.field("isApiErrorMessage"),
    explicit: this.field("explicit"),
    attachmentType: this.field("attachment.type"),
    messageId: this.field("message.id"),
    model: this.field("message.model"),
    content: this.field("message.content"),
  };
  /** The same of blocks. */
  readonly inBlock = {
    type: this.field("message.content[].type"),
    id: this.field("message.content[].id"),
    toolUseId: this.field("message.content[].tool_use_id"),
    name: this.field("message.content[].name"),
    text: this.field("message.content[].text"),
    thinking: this.field("message.content[].thinking"),
    input: this.field("message.content[].input"),
    content: this.field("message.content[].content"),
  };
  /** Numbers of words that occur in them. */
  readonly named = {
    user: this.wordId("user"),
    assistant: this.wordId("assistant"),
    system: this.wordId("system"),
    attachment: this.wordId("attachment"),
    lastPrompt: this.wordId("last-prompt"),
    queuedCommand: this.wordId("queued_command"),
    synthetic: this.wordId("<synthetic>"),
    text: this.wordId("text"),
    thinking: this.wordId("thinking"),
    redactedThinking: this.wordId("redacted_thinking"),
    toolUse: this.wordId("tool_use"),
    serverToolUse: this.wordId("server_tool_use"),
    mcpToolUse: this.wordId("mcp_tool_use"),
    toolResult: this.wordId("tool_result"),
  };

  constructor() {
    super(FIELDS, UNREAD_PREFIXES);
  }

  isTrue(field: number): boolean {
    return this.kind(field) === TRUE;
  }

  /** Where a string begins and ends in the file. */
  startOf(field: number): number {
    return this.offsetOf(this.ints[(PLACES >> 2) + 4 * field]!);
  }

  endOf(field: number): number {
    return this.offsetOf(this.ints[(PLACES >> 2) + 4 * field + 1]!);
  }

  /** The first byte of a string that is no blank; 0 for none. */
  firstByte(field: number): number {
    const place = (PLACES >> 2) + 4 * field;
    let at = this.ints[place]!;
    const end = this.ints[place + 1]!;
    while (at < end && this.bytes[at] === SPACE) at++;
    return at < end ? this.bytes[at]! : 0;
  }

  /** An id as `idNumber` has it; undefined for none. */
  idNumber(field: number): number | undefined {
    return this.isText(field) ? idNumber(this.idText(field)) : undefined;
  }

  /** An id. Others than those of plain ASCII make the line odd. */
  idText(field: number): string {
    const place = (PLACES >> 2) + 4 * field;
    return this.bytes.toString("latin1", this.ints[place], this.ints[place + 1]);
  }

  itemKind(item: number, field: number): number {
    return this.ints[this.itemPlace(item, field)]!;
  }

  itemStart(item: number, field: number): number {
    return this.offsetOf(this.ints[this.itemPlace(item, field) + 1]!);
  }

  itemEnd(item: number, field: number): number {
    return this.offsetOf(this.ints[this.itemPlace(item, field) + 2]!);
  }

  /** An item's id; undefined for none, or an empty one. */
  itemIdText(item: number, field: number): string | undefined {
    const place = this.itemPlace(item, field);
    const start = this.ints[place + 1]!;
    const end = this.ints[place + 2]!;
    return this.ints[place] === STRING && start < end ? this.bytes.toString("latin1", start, end) : undefined;
  }

  /** The text of a word; of 0, which none has, nothing. */
  textOfWord(number: number): string {
    return number === 0 ? "" : this.wordText(number);
  }

  get lineEnd(): number {
    return this.offsetOf(this.ints[1]!);
  }
}

const SPACE = 0x20;
