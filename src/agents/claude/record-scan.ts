/**
 * The records of a transcript without parsing them: the values that counting and billing need, read where they lie.
 * Names and meanings of the fields are those of the records; `record.ts` has the rules for parsed ones.
 */
import { asTime, asTokens } from "../../lib/fields.ts";
import { ABSENT, JsonLines, NUMBER, OBJECT, STRING, TRUE } from "../../lib/json-lines.ts";
import type { TokenCounts } from "../../core/cost.ts";
import { kindOfPrompt, LONGEST_MARK, UNREAD_PREFIXES, type RecordKind } from "./record.ts";
import { countsOf, modifiersOf } from "./usage.ts";

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
  { path: "message.content[].type", as: "word" },
  { path: "message.content[].id", as: "id" },
  { path: "message.content[].tool_use_id", as: "id" },
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

let shared: RecordScan | undefined;

/** Made when first needed: compiling the scanner takes longer than reading a small file. */
export function recordScan(): RecordScan {
  shared ??= new RecordScan();
  return shared;
}

export class RecordScan {
  readonly lines = new JsonLines(FIELDS, UNREAD_PREFIXES);
  readonly #type = this.lines.field("type");
  readonly #timestamp = this.lines.field("timestamp");
  readonly #uuid = this.lines.field("uuid");
  readonly #parentUuid = this.lines.field("parentUuid");
  readonly #logicalParentUuid = this.lines.field("logicalParentUuid");
  readonly #isSidechain = this.lines.field("isSidechain");
  readonly #isMeta = this.lines.field("isMeta");
  readonly #isCompactSummary = this.lines.field("isCompactSummary");
  readonly #isApiErrorMessage = this.lines.field("isApiErrorMessage");
  readonly #isAbortedMidStream = this.lines.field("isAbortedMidStream");
  readonly #cwd = this.lines.field("cwd");
  readonly #gitBranch = this.lines.field("gitBranch");
  readonly #version = this.lines.field("version");
  readonly #requestId = this.lines.field("requestId");
  readonly #agentId = this.lines.field("agentId");
  readonly #forkedFrom = this.lines.field("forkedFrom");
  readonly #costUsd = this.lines.field("costUSD");
  readonly #explicit = this.lines.field("explicit");
  readonly #attachmentType = this.lines.field("attachment.type");
  readonly #messageId = this.lines.field("message.id");
  readonly #model = this.lines.field("message.model");
  readonly #stopReason = this.lines.field("message.stop_reason");
  readonly #content = this.lines.field("message.content");
  readonly #blockType = this.lines.field("message.content[].type");
  readonly #blockId = this.lines.field("message.content[].id");
  readonly #toolUseId = this.lines.field("message.content[].tool_use_id");
  readonly #usage = this.lines.field("message.usage");
  readonly #input = this.lines.field("message.usage.input_tokens");
  readonly #output = this.lines.field("message.usage.output_tokens");
  readonly #cacheRead = this.lines.field("message.usage.cache_read_input_tokens");
  readonly #cacheWrite = this.lines.field("message.usage.cache_creation_input_tokens");
  readonly #cacheWrite5m = this.lines.field("message.usage.cache_creation.ephemeral_5m_input_tokens");
  readonly #cacheWrite1h = this.lines.field("message.usage.cache_creation.ephemeral_1h_input_tokens");
  readonly #thinking = this.lines.field("message.usage.output_tokens_details.thinking_tokens");
  readonly #webSearches = this.lines.field("message.usage.server_tool_use.web_search_requests");
  readonly #speed = this.lines.field("message.usage.speed");
  readonly #inferenceGeo = this.lines.field("message.usage.inference_geo");
  readonly #user = this.lines.wordId("user");
  readonly #assistant = this.lines.wordId("assistant");
  readonly #system = this.lines.wordId("system");
  readonly #attachment = this.lines.wordId("attachment");
  readonly #lastPrompt = this.lines.wordId("last-prompt");
  readonly #queuedCommand = this.lines.wordId("queued_command");
  readonly #callTypes = ["tool_use", "server_tool_use", "mcp_tool_use"].map((word) => this.lines.wordId(word));
  readonly #resultType = this.lines.wordId("tool_result");

  get isAssistant(): boolean {
    return this.lines.id(this.#type) === this.#assistant;
  }

  /** A note of where the conversation stands, with nothing to be noted. */
  get isPlainLastPrompt(): boolean {
    return (
      this.lines.id(this.#type) === this.#lastPrompt && this.lines.kind(this.#explicit) !== TRUE && !this.isUnusual
    );
  }

  /** A field that is rare and changes the meaning of others. */
  get isUnusual(): boolean {
    return this.lines.kind(this.#forkedFrom) !== ABSENT || this.lines.kind(this.#costUsd) !== ABSENT;
  }

  /** Undefined when only parsing can tell, or when it is no record of the chain. */
  get kind(): RecordKind | undefined {
    switch (this.lines.id(this.#type)) {
      case this.#user:
        return this.#userKind();
      case this.#assistant:
        if (this.isApiErrorMessage) return "error";
        if (this.model === "<synthetic>") return "context";
        return this.messageIdId === 0 || this.model === "" ? undefined : "reply";
      case this.#attachment:
        return this.lines.id(this.#attachmentType) === this.#queuedCommand ? undefined : "context";
      case this.#system:
        return "context";
      default:
        return undefined;
    }
  }

  #userKind(): RecordKind | undefined {
    const { lines } = this;
    for (let i = 0; i < lines.items; i++)
      if (lines.itemId(i, this.#blockType) === this.#resultType) return "tool-result";
    if (lines.kind(this.#isCompactSummary) === TRUE) return "summary";
    if (lines.kind(this.#isMeta) === TRUE) return "context";
    // What a prompt is shows at its beginning.
    const start = lines.plainStart(this.#content, LONGEST_MARK);
    return start === undefined || start.trim() === "" ? undefined : kindOfPrompt(start);
  }

  get time(): number | undefined {
    const kind = this.lines.kind(this.#timestamp);
    if (kind !== STRING && kind !== NUMBER) return undefined;
    const value = this.lines.number(this.#timestamp);
    // A small number is taken for seconds, which the milliseconds of a written date never are.
    return asTime(kind === STRING && value < 1e11 ? Number.NaN : value);
  }

  get uuidId(): number {
    return this.lines.textId(this.#uuid);
  }

  /** To be asked for by the number later on. */
  keepUuid(): string | number {
    const kept = this.lines.keep(this.#uuid);
    return kept === -1 ? this.lines.text(this.#uuid) : kept;
  }

  /** A compaction boundary has no parent but says what it follows. */
  get parentId(): number {
    return this.lines.textId(this.#parentUuid) || this.lines.textId(this.#logicalParentUuid);
  }

  get isSidechain(): boolean {
    return this.lines.kind(this.#isSidechain) === TRUE;
  }

  get isApiErrorMessage(): boolean {
    return this.lines.kind(this.#isApiErrorMessage) === TRUE;
  }

  get cwd(): string | undefined {
    return this.lines.word(this.#cwd) || undefined;
  }

  get branch(): string | undefined {
    return this.lines.word(this.#gitBranch) || undefined;
  }

  get version(): string | undefined {
    return this.lines.word(this.#version) || undefined;
  }

  get agentId(): string | undefined {
    return this.lines.word(this.#agentId) || undefined;
  }

  get hasRequestId(): boolean {
    return this.lines.isText(this.#requestId);
  }

  get messageId(): string {
    return this.lines.text(this.#messageId);
  }

  /** 0 when the message has none. */
  get messageIdId(): number {
    return this.lines.textId(this.#messageId);
  }

  /** Empty when there is none. */
  get model(): string {
    return this.lines.word(this.#model);
  }

  get isFinished(): boolean {
    return this.lines.isText(this.#stopReason) && this.lines.kind(this.#isAbortedMidStream) !== TRUE;
  }

  get hasUsage(): boolean {
    return this.lines.kind(this.#usage) === OBJECT;
  }

  /** Ids of the calls that the blocks of the message are results of. */
  results(take: (id: number) => void): void {
    const { lines } = this;
    for (let i = 0; i < lines.items; i++) {
      const id = lines.itemTextId(i, this.#toolUseId);
      if (id !== 0) take(id);
    }
  }

  /** Ids of the calls among the blocks of the message. */
  calls(take: (id: number) => void): void {
    const { lines } = this;
    for (let i = 0; i < lines.items; i++) {
      const id = this.#callTypes.includes(lines.itemId(i, this.#blockType)) ? lines.itemTextId(i, this.#blockId) : 0;
      if (id !== 0) take(id);
    }
  }

  get tokens(): TokenCounts {
    return countsOf(
      this.#count(this.#input),
      this.#count(this.#output),
      this.#count(this.#cacheRead),
      this.#count(this.#cacheWrite),
      this.#count(this.#cacheWrite5m),
      this.#count(this.#cacheWrite1h),
      this.#count(this.#thinking),
    );
  }

  get webSearches(): number {
    return this.#count(this.#webSearches);
  }

  get modifiers(): string[] {
    return modifiersOf(this.lines.word(this.#speed), this.lines.word(this.#inferenceGeo) || undefined);
  }

  #count(field: number): number {
    return this.lines.kind(field) === NUMBER ? asTokens(this.lines.number(field)) : 0;
  }
}
