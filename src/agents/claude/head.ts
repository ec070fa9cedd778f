/** Session-level facts of a transcript, from its first and last lines or from all of them. */
import { parseRecord } from "../../lib/json/jsonl.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import { sessionTitle } from "../session-title.ts";
import { titleSidecarOf } from "./discover.ts";
import { holderOf } from "./lineage.ts";
import {
  branchOf,
  cwdOf,
  forkedFrom,
  idOf,
  isChain,
  isCompactBoundary,
  isSidechain,
  isUnread,
  modelOf,
  queuedAt,
  replyId,
  sidecarTitle,
  timeOf,
  titlesIn,
  unknownType,
  versionOf,
  type ClaudeRecord,
} from "./format.ts";
import { kindOf, textOfUser } from "./record.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

/** Takes records in file order: head and tail for `summarize`, every record for the full reader. */
export class HeadBuilder {
  sawRecord = false;
  hasConversation = false;
  #firstPrompt: string | undefined;
  #customTitle: string | undefined;
  #aiTitle: string | undefined;
  #startedMs: number | undefined;
  #firstMs: number | undefined;
  #lastMs: number | undefined;
  #cwd: string | undefined;
  #branch: string | undefined;
  #version: string | undefined;
  #forkedFrom: string | undefined;
  #firstUuid: string | undefined;
  #firstReply: string | undefined;
  #afterCompaction: string | undefined;
  readonly #models = new Map<string, number>();
  #lastReply: string | undefined;
  readonly #titlesForOthers = new Map<string, string>();
  readonly #recentIds: string[] = [];

  /** All facts that only the start of a transcript has are known. */
  get knowsBeginning(): boolean {
    return this.hasBegun && this.hasPrompt && this.#cwd !== undefined && this.#firstReply !== undefined;
  }

  get hasPrompt(): boolean {
    return this.#firstPrompt !== undefined;
  }

  seeLine(line: Buffer): void {
    if (isUnread(line)) this.sawRecord = true;
    else {
      const record = parseRecord(line);
      if (record) this.see(record);
    }
  }

  seePromptOnly(line: Buffer): void {
    const record = isUnread(line) ? undefined : parseRecord(line);
    if (record && isChain(record)) this.#seePrompt(record);
  }

  see(record: ClaudeRecord): void {
    this.sawRecord ||= unknownType(record) === undefined;
    this.#forkedFrom ??= forkedFrom(record);
    if (isChain(record)) this.#seeChain(record);
    else this.#seeBookkeeping(record);
  }

  #seeBookkeeping(record: ClaudeRecord): void {
    const { custom, made, other } = titlesIn(record);
    this.#customTitle = custom ?? this.#customTitle;
    this.#aiTitle = made ?? this.#aiTitle;
    if (other && !isErrorText(other.title)) this.#titlesForOthers.set(other.leaf, other.title);
    if (this.#firstMs === undefined) this.#startedMs ??= queuedAt(record);
  }

  #seeChain(record: ClaudeRecord): void {
    this.#seeFacts(record);
    if (isSidechain(record)) return;
    const uuid = idOf(record);
    if (uuid !== undefined) this.#seeUuid(uuid, record);
    this.#seePrompt(record);
    const kind = kindOf(record);
    if (kind !== "context") this.hasConversation = true;
    if (kind === "reply") this.#seeReply(replyId(record), modelOf(record));
  }

  /** Facts of any chain record, including side-chains. */
  #seeFacts(record: ClaudeRecord): void {
    const at = timeOf(record);
    if (at !== undefined) this.seeTime(at);
    this.#cwd ??= cwdOf(record);
    this.#branch = branchOf(record) ?? this.#branch;
    this.#version = versionOf(record) ?? this.#version;
  }

  seeTime(at: number): void {
    this.#firstMs ??= at;
    this.#lastMs = Math.max(this.#lastMs ?? at, at);
  }

  /** The latest date so far. */
  get lastMs(): number | undefined {
    return this.#lastMs;
  }

  /** The first record of the main line was seen. */
  get hasBegun(): boolean {
    return this.#firstUuid !== undefined;
  }

  #seeUuid(uuid: string, record: ClaudeRecord): void {
    if (this.#firstUuid === undefined) {
      this.#firstUuid = uuid;
      // Only a fork of a compacted session can begin with the boundary.
      if (isCompactBoundary(record)) this.#afterCompaction = uuid;
    }
    this.#seeId(uuid);
  }

  #seeId(uuid: string): void {
    this.#recentIds.push(uuid);
    if (this.#recentIds.length > RECENT_IDS) this.#recentIds.shift();
  }

  #seePrompt(record: ClaudeRecord): void {
    if (this.#firstPrompt === undefined && !isSidechain(record) && kindOf(record) === "prompt") {
      this.#firstPrompt = textOfUser(record);
      this.hasConversation = true;
    }
  }

  /** A record of a reply; further records of the same reply change nothing. */
  #seeReply(id: string | undefined, model: string | undefined): void {
    this.#firstReply ??= id;
    if (model === undefined || (id !== undefined && id === this.#lastReply)) return;
    this.#lastReply = id;
    this.#countReplies(model, 1);
  }

  #countReplies(model: string, replies: number): void {
    const count = (this.#models.get(model) ?? 0) + replies;
    // Deleted first, so that on a tie the latest used is last.
    this.#models.delete(model);
    this.#models.set(model, count);
  }

  /** `isPart`: not all records were seen, so the model is that of the last reply; otherwise the most used one. */
  build(source: SessionSource, isPart = false): SessionHead {
    const given = this.#customTitle ?? titleBeside(source) ?? this.#aiTitle;
    const isLookedUp = this.#forkedFrom === undefined && this.#afterCompaction !== undefined;
    const forkedFrom = isLookedUp ? holderOf(this.#afterCompaction!, source.path) : this.#forkedFrom;
    const familyKeys = [this.#firstUuid, this.#firstReply].filter((key) => key !== undefined);
    const createdMs = this.#startedMs ?? this.#firstMs;
    const head: SessionHead = { title: sessionTitle(given, this.#firstPrompt) };
    const model = isPart ? [...this.#models.keys()].at(-1) : mostUsed(this.#models);
    if (createdMs !== undefined) head.createdMs = createdMs;
    if (this.#lastMs !== undefined) head.updatedMs = this.#lastMs;
    if (model !== undefined) head.model = model;
    if (this.#cwd !== undefined) head.cwd = this.#cwd;
    if (this.#branch !== undefined) head.branch = this.#branch;
    if (this.#version !== undefined) head.agentVersion = this.#version;
    if (forkedFrom !== undefined) head.forkedFrom = forkedFrom;
    if (isLookedUp) head.volatile = true;
    if (this.#startedMs !== undefined) head.startedMs = this.#startedMs;
    if (familyKeys.length > 0) head.familyKeys = familyKeys;
    if (given === undefined && this.hasBegun) head.titleKeys = this.#recentIds.slice();
    if (this.#titlesForOthers.size > 0) head.titlesForOthers = Object.fromEntries(this.#titlesForOthers);
    return head;
  }
}

/** A summary names the last record of the session it titles; later appends push that record back. */
const RECENT_IDS = 40;

/** 1.0.x also summarised failed sessions, by their error text. */
function isErrorText(summary: string): boolean {
  return /^(Invalid API key|API Error|Credit balance|Error:|Please run \/login)/.test(summary);
}

function titleBeside(source: SessionSource): string | undefined {
  const path = titleSidecarOf(source);
  if (path === undefined) return undefined;
  try {
    return sidecarTitle(JSON.parse(readText(path)));
  } catch {
    // The sidecar is gone or incomplete; the record in the transcript has the same data.
    return undefined;
  }
}

function mostUsed(models: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const [model, count] of models) if (count >= most) [best, most] = [model, count];
  return best;
}
