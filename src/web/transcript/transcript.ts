/**
 * A transcript loaded line by line. Messages stay raw text until they are shown, so that 100,000 of them can be
 * scrolled.
 */
import { signal } from "@preact/signals";
import { conversationOf } from "../../client/conversation.ts";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionFacts, SessionMessage, SubagentTranscript } from "../../core/session.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { api, Refusal } from "../state/api.ts";
import { grown } from "../state/projection.ts";
import { messageOf } from "../ui/notices.ts";
import { holdsText, isOfKind, type Kind } from "./message-kinds.ts";

export type Message = Wire<SessionMessage>;
export type Facts = Wire<SessionFacts>;
export type Subagent = Wire<SubagentTranscript>;

const KEPT_MESSAGES = 500;
/** Batches changes within this time. */
const GATHER_MS = 200;
/** No limit. */
const ALL = 100_000_000;
const SCANNED_AT_ONCE = 2000;
const SHOW_EVERY_MS = 80;
/** The most replies that are summed for a turn; longer turns show no sum. */
const LONGEST_TURN = 2000;

export interface TurnCost {
  usd: number;
  /** Whether any reply has a price. */
  isPriced: boolean;
  input: number;
  output: number;
  replies: number;
  /** From the prompt to the last message before the next one. */
  ms?: number;
}

export class Transcript {
  readonly unifiedId: string;
  readonly peer: string | undefined;
  readonly facts = signal<Facts | null>(null);
  readonly count = signal(0);
  /** Counts changes of existing messages. */
  readonly changes = signal(0);
  readonly state = signal<"loading" | "whole" | "failed">("loading");
  readonly problem = signal("");
  readonly subagents = signal<readonly Subagent[]>([]);
  /** The indexes of user messages. */
  readonly prompts: number[] = [];
  readonly #lines: string[] = [];
  readonly #messages = new Map<number, Message>();
  readonly #turns = new Map<number, TurnCost>();
  readonly #leaving = new AbortController();
  readonly #unsubscribe: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends with the answer to the last request. */
  #reading: Promise<void>;
  #shownAt = 0;

  /** `peer` is the machine of the session, if not this one. */
  constructor(unifiedId: string, peer: string | undefined) {
    this.unifiedId = unifiedId;
    this.peer = peer;
    this.#unsubscribe = grown.subscribe((conversation) => {
      if (conversation?.unifiedId !== unifiedId || conversation.peer !== peer) return;
      this.#timer ??= setTimeout(() => void this.#readAgain(), GATHER_MS);
    });
    this.#reading = this.#load();
  }

  message(index: number): Message | undefined {
    const known = this.#messages.get(index);
    if (known !== undefined) return known;
    const line = this.#lines[index];
    if (line === undefined) return undefined;
    const message = JSON.parse(line) as Message;
    this.#messages.set(index, message);
    if (this.#messages.size > KEPT_MESSAGES) this.#messages.delete(this.#messages.keys().next().value!);
    return message;
  }

  /** Matching messages in order. Yields now and then, because 100,000 messages take a while. */
  async matching(wanted: { kind: Kind } | { text: string }, leaving: AbortSignal): Promise<number[]> {
    const found: number[] = [];
    for (let index = 0; index < this.#lines.length; index++) {
      if (index % SCANNED_AT_ONCE === SCANNED_AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve));
      if (leaving.aborted) return [];
      const line = this.#lines[index]!;
      if ("kind" in wanted ? isOfKind(line, wanted.kind) : holdsText(line, wanted.text)) found.push(index);
    }
    return found;
  }

  /** Whether no message follows it. */
  isLastSpoken(index: number): boolean {
    for (let later = index + 1; later < this.#lines.length; later++) {
      const role = this.message(later)?.role;
      if (role === "user" || role === "assistant") return false;
    }
    return this.state.value === "whole";
  }

  /** The usage from a prompt to the next one. */
  turn(prompt: number): TurnCost {
    const known = this.#turns.get(prompt);
    if (known !== undefined) return known;
    const sum: TurnCost = { usd: 0, isPriced: false, input: 0, output: 0, replies: 0 };
    let index = prompt + 1;
    for (; index < this.#lines.length && sum.replies < LONGEST_TURN; index++) {
      const line = this.#lines[index]!;
      if (isPrompt(line)) break;
      if (line.includes('"tokenUsage"') || line.includes('"cost"')) addTo(sum, JSON.parse(line) as Message);
    }
    const ms = this.elapsed(prompt, index - 1);
    if (ms !== undefined) sum.ms = ms;
    const isOver = index < this.#lines.length || this.state.value === "whole";
    if (isOver) this.#turns.set(prompt, sum);
    return sum;
  }

  /** The time between two messages; undefined if one has none. */
  elapsed(from: number, to: number): number | undefined {
    const ms = Date.parse(this.message(to)?.timestamp ?? "") - Date.parse(this.message(from)?.timestamp ?? "");
    return ms >= 0 ? ms : undefined;
  }

  close(): void {
    this.#unsubscribe();
    clearTimeout(this.#timer);
    this.#leaving.abort();
  }

  async #load(): Promise<void> {
    const { signal: leaving } = this.#leaving;
    try {
      const response = await fetch(exportPath(this.unifiedId, "jsonl", this.peer), { signal: leaving });
      if (!response.ok) throw await refusalOf(response);
      for await (const line of linesOf(response.body!)) this.#take(line);
      this.count.value = this.#lines.length;
      this.state.value = "whole";
      const { subagents = [] } = await api.transcript(this.unifiedId, 0, 0, leaving, this.peer);
      this.subagents.value = subagents;
    } catch (error) {
      if (leaving.aborted) return;
      this.count.value = this.#lines.length;
      if (this.state.value === "loading") this.state.value = "failed";
      this.problem.value = messageOf(error);
    }
  }

  #take(line: string): void {
    if (this.facts.value === null) {
      this.facts.value = JSON.parse(line) as Facts;
      return;
    }
    if (isPrompt(line)) this.prompts.push(this.#lines.length);
    this.#lines.push(line);
    const now = performance.now();
    if (now - this.#shownAt < SHOW_EVERY_MS) return;
    this.#shownAt = now;
    this.count.value = this.#lines.length;
  }

  /** After what is being read: its answer may not have what was written meanwhile, and must not come last. */
  async #readAgain(): Promise<void> {
    await this.#reading;
    this.#timer = undefined;
    if (this.#leaving.signal.aborted) return;
    this.#reading = this.state.value === "failed" ? this.#loadAgain() : this.#more();
  }

  /** A session can be known before its agent has written the first line. */
  #loadAgain(): Promise<void> {
    this.facts.value = null;
    this.#replace(0, []);
    return this.#load();
  }

  /** Rereads the last message, which may have grown. If the one before it differs, reloads everything. */
  async #more(): Promise<void> {
    try {
      const { signal: leaving } = this.#leaving;
      let from = Math.max(0, this.#lines.length - 2);
      let part = await api.transcript(this.unifiedId, from, ALL, leaving, this.peer);
      if (from > 0 && !isSame(part.messages[0], this.message(from))) {
        from = 0;
        part = await api.transcript(this.unifiedId, from, ALL, leaving, this.peer);
      }
      this.#replace(from, part.messages);
      const { messages: _, from: __, subagents, ...facts } = part;
      this.facts.value = facts;
      if (subagents !== undefined) this.subagents.value = subagents;
    } catch {
      // Unreachable or just replaced; the next change reloads it.
    }
  }

  /** Replaces all messages from this index on. */
  #replace(from: number, messages: readonly Message[]): void {
    this.#lines.length = from;
    this.#turns.clear();
    for (const index of this.#messages.keys()) if (index >= from) this.#messages.delete(index);
    while ((this.prompts.at(-1) ?? -1) >= from) this.prompts.pop();
    for (const message of messages) {
      if (message.role === "user") this.prompts.push(this.#lines.length);
      this.#lines.push(JSON.stringify(message));
    }
    this.count.value = this.#lines.length;
    this.changes.value++;
  }
}

/** The export address of a transcript. */
export function exportPath(unifiedId: string, format: string, peer: string | undefined): string {
  const query = new URLSearchParams({ format, ...(peer === undefined ? {} : { peer }) });
  return `/v1/history/${encodeURIComponent(unifiedId)}?${query.toString()}`;
}

/** Whether the session writes this transcript. */
export function isOf(session: MuxSession | undefined, unifiedId: string, peer: string | undefined): boolean {
  return session !== undefined && session.peer === peer && conversationOf(session) === unifiedId;
}

function addTo(sum: TurnCost, { role, cost, tokenUsage }: Message): void {
  if (role !== "assistant") return;
  sum.replies++;
  if (cost !== undefined && cost.kind !== "unknown" && cost.kind !== "unpriced") {
    sum.isPriced = true;
    sum.usd += cost.totalUsd;
  }
  const { inputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = tokenUsage ?? {};
  sum.input += inputTokens + cachedTokens + cacheWriteTokens;
  sum.output += outputTokens;
}

function isSame(one: Message | undefined, other: Message | undefined): boolean {
  return one?.role === other?.role && one?.content === other?.content && one?.timestamp === other?.timestamp;
}

/** Reads the role without parsing: it is the first field. Other lines are parsed. */
function isPrompt(line: string): boolean {
  if (line.startsWith('{"role":')) return line.startsWith('{"role":"user"');
  return (JSON.parse(line) as Message).role === "user";
}

async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
  if (rest !== "") yield rest;
}

async function refusalOf(response: Response): Promise<Error> {
  const { error } = (await response.json()) as { error: { code: "internal"; message: string } };
  return new Refusal(error.code, error.message);
}
