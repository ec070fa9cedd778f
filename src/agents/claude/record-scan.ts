/**
 * The records of a transcript without parsing them: a WebAssembly module (wasm/claude-records.as.ts) counts and bills
 * them where they lie and stops only at lines that have to be parsed. Names and meanings of the fields are those of the
 * records; `record.ts` has the rules for parsed ones.
 */
import { JsonLines, type JsonLinesExports } from "../../lib/json-lines.ts";
import { UNREAD_PREFIXES, type RecordKind } from "./record.ts";
import { CLAUDE_RECORDS_WASM } from "./record-scan.gen.ts";
import type { Collected } from "./usage.ts";
import { modifiersOf } from "./usage.ts";

/** In the order of wasm/claude/fields.ts. */
const FIELDS = [
  { path: "type", as: "word" },
  { path: "timestamp", as: "time" },
  { path: "uuid", as: "id" },
  { path: "parentUuid", as: "id" },
  { path: "logicalParentUuid", as: "id" },
  { path: "isSidechain" },
  { path: "isMeta" },
  { path: "isCompactSummary" },
  { path: "isApiErrorMessage" },
  { path: "isAbortedMidStream" },
  { path: "cwd", as: "word" },
  { path: "gitBranch", as: "word" },
  { path: "version", as: "word" },
  { path: "requestId" },
  { path: "agentId", as: "word" },
  { path: "forkedFrom" },
  { path: "costUSD" },
  { path: "explicit" },
  { path: "attachment.type", as: "word" },
  { path: "message.id", as: "id" },
  { path: "message.model", as: "word" },
  { path: "message.stop_reason" },
  { path: "message.content" },
  { path: "message.usage" },
  { path: "message.usage.input_tokens" },
  { path: "message.usage.output_tokens" },
  { path: "message.usage.cache_read_input_tokens" },
  { path: "message.usage.cache_creation_input_tokens" },
  { path: "message.usage.cache_creation.ephemeral_5m_input_tokens" },
  { path: "message.usage.cache_creation.ephemeral_1h_input_tokens" },
  { path: "message.usage.output_tokens_details.thinking_tokens" },
  { path: "message.usage.server_tool_use.web_search_requests" },
  { path: "message.usage.speed", as: "word" },
  { path: "message.usage.inference_geo", as: "word" },
] as const;
const BLOCK_FIELDS = [
  { path: "message.content[].type", as: "word" },
  { path: "message.content[].id", as: "id" },
  { path: "message.content[].tool_use_id", as: "id" },
] as const;
const WORDS = [
  "user",
  "assistant",
  "system",
  "attachment",
  "last-prompt",
  "queued_command",
  "<synthetic>",
  "tool_result",
  "tool_use",
  "server_tool_use",
  "mcp_tool_use",
];
/** In the order of wasm/claude/conversation.ts. */
const KINDS: readonly RecordKind[] = [
  "context",
  "prompt",
  "tool-result",
  "reply",
  "error",
  "summary",
  "interruption",
  "notification",
];

interface Exports extends JsonLinesExports {
  setField(field: number, node: number): void;
  setWord(word: number, number: number): void;
  start(): void;
  goOn(hasBegun: number, hasPrompt: number, needsIds: number, lastReply: number): void;
  nextOdd(): number;
  nextOddOfHelper(): number;
  addRecord(kind: number, id: number, parent: number, isSide: number, reply: number): void;
  addCall(id: number): void;
  addResult(id: number): void;
  goOnFrom(id: number): void;
  messageCount(): number;
  turnCount(): number;
  usageCount(): number;
  usageEntries(): number;
  usageTexts(): number;
  usageTextLength(): number;
}

// Where the module keeps what it found since it was last asked.
const FACTS = 12_032;
const MODELS = FACTS + 72;
const IDS = 12_288;
const ID_LENGTHS = 12_224;
const ID_BYTES = 64;
const ID_SLOTS = 64;
const ENTRY_BYTES = 128;
const [FINISHED, HAS_REQUEST_ID, ON_MAIN_LINE] = [1, 2, 4];

/** What the records since the last one that was parsed have said. */
export interface ScannedFacts {
  firstTime: number | undefined;
  lastTime: number | undefined;
  noteTime: number | undefined;
  cwd: string | undefined;
  branch: string | undefined;
  version: string | undefined;
  hasConversation: boolean;
  hasNote: boolean;
  /** Of the main line, oldest first; only the last ones. */
  ids: string[];
  firstReply: string | undefined;
  lastReply: string | undefined;
  /** Replies by model, in the order of their last use. */
  models: [model: string, replies: number][];
}

let shared: RecordScan | undefined;

/** Made when first needed: compiling the scanner takes longer than reading a small file. */
export function recordScan(): RecordScan {
  shared ??= new RecordScan();
  return shared;
}

export class RecordScan extends JsonLines<Exports> {
  constructor() {
    super([...FIELDS, ...BLOCK_FIELDS], UNREAD_PREFIXES, CLAUDE_RECORDS_WASM);
    FIELDS.forEach(({ path }, index) => this.exports.setField(index, this.field(path)));
    WORDS.forEach((word, index) => this.exports.setWord(index, this.wordId(word)));
  }

  override open(path: string, bytes: number): void {
    super.open(path, bytes);
    this.exports.start();
  }

  override openBytes(bytes: Buffer): boolean {
    const canHold = super.openBytes(bytes);
    if (canHold) this.exports.start();
    return canHold;
  }

  /** The next line that has to be parsed; the facts of those before it are to be taken first. */
  nextOdd(): number {
    return this.advance(this.exports.nextOdd);
  }

  /** The same in a sub-agent's transcript. */
  nextOddOfHelper(): number {
    return this.advance(this.exports.nextOddOfHelper);
  }

  /** After facts and usage were taken and a line was parsed: what the parsed records have told so far. */
  goOn(hasBegun: boolean, hasPrompt: boolean, needsIds: boolean, lastReply: string | undefined): void {
    const reply = lastReply === undefined ? 0 : this.idOf(lastReply);
    this.exports.goOn(hasBegun ? 1 : 0, hasPrompt ? 1 : 0, needsIds ? 1 : 0, reply);
  }

  facts(): ScannedFacts {
    this.look();
    const { ints, doubles } = this;
    const int = (offset: number): number => ints[(FACTS + offset) >> 2]!;
    const time = (offset: number): number | undefined => {
      const value = doubles[(FACTS + offset) >> 3]!;
      return Number.isNaN(value) ? undefined : value;
    };
    const hasReplies = int(44) > 0;
    return {
      firstTime: time(0),
      lastTime: time(8),
      noteTime: time(16),
      cwd: this.#word(int(24)),
      branch: this.#word(int(28)),
      version: this.#word(int(32)),
      hasConversation: (int(36) & 1) !== 0,
      hasNote: (int(36) & 2) !== 0,
      ids: this.#ids(int(40)),
      firstReply: hasReplies ? this.#text(int(48), int(52)) : undefined,
      lastReply: hasReplies ? this.#text(int(56), int(60)) : undefined,
      models: Array.from({ length: int(64) }, (_, index) => {
        const place = (MODELS >> 2) + 2 * index;
        return [this.#word(ints[place]!)!, ints[place + 1]!];
      }),
    };
  }

  #word(number: number): string | undefined {
    return number === 0 ? undefined : this.wordText(number);
  }

  #text(start: number, length: number): string {
    return this.textAt(this.exports.usageTexts() + start, length);
  }

  #ids(count: number): string[] {
    return Array.from({ length: Math.min(count, ID_SLOTS) }, (_, index) => {
      const slot = (Math.max(0, count - ID_SLOTS) + index) % ID_SLOTS;
      return this.textAt(IDS + ID_BYTES * slot, this.bytes[ID_LENGTHS + slot]!);
    });
  }

  /** Gives each reply with usage, new since it was last asked. `helper`: whose transcript it is. */
  takeUsage(take: (reply: Collected) => void, helper?: string): void {
    const count = this.exports.usageCount();
    if (count === 0) return;
    this.look();
    const { ints, doubles } = this;
    const texts = this.textAt(this.exports.usageTexts(), this.exports.usageTextLength());
    const first = this.exports.usageEntries();
    for (let i = 0; i < count; i++) {
      const int = (first + ENTRY_BYTES * i) >> 2;
      const double = (first + ENTRY_BYTES * i) >> 3;
      const start = ints[int]!;
      const flags = ints[int + 2]!;
      const at = doubles[double + 5]!;
      const onMainLine = helper === undefined && (flags & ON_MAIN_LINE!) !== 0;
      take({
        key: texts.slice(start, start + ints[int + 1]!),
        at: Number.isNaN(at) ? undefined : at,
        model: this.wordText(ints[int + 3]!),
        tokens: {
          input: doubles[double + 6]!,
          cached: doubles[double + 7]!,
          cacheWrite: doubles[double + 8]!,
          cacheWrite1h: doubles[double + 9]!,
          output: doubles[double + 10]!,
          thinking: doubles[double + 11]!,
        },
        finished: (flags & FINISHED!) !== 0,
        hasRequestId: (flags & HAS_REQUEST_ID!) !== 0,
        branched: false,
        subagent: onMainLine ? undefined : (helper ?? this.#word(ints[int + 6]!) ?? "sidechain"),
        cwd: this.#word(ints[int + 4]!),
        branch: this.#word(ints[int + 5]!),
        reportedMicroUsd: undefined,
        modifiers: modifiersOf(this.#word(ints[int + 7]!), this.#word(ints[int + 8]!)),
        webSearches: doubles[double + 12]!,
      });
    }
  }

  addRecord(kind: RecordKind, id: number, parent: number, isSide: boolean, reply: number): void {
    this.exports.addRecord(KINDS.indexOf(kind), id, parent, isSide ? 1 : 0, reply);
  }

  /** Of the record that is added next. */
  addCall(id: number): void {
    this.exports.addCall(id);
  }

  addResult(id: number): void {
    this.exports.addResult(id);
  }

  /** The record that was chosen to go on from. */
  goOnFrom(id: number): void {
    this.exports.goOnFrom(id);
  }

  /** Of the main line, when all records were seen. */
  counts(): { messageCount: number; turnCount: number } {
    const messageCount = this.exports.messageCount();
    return { messageCount, turnCount: this.exports.turnCount() };
  }
}
