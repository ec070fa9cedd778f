/** The head of a thread, from all of its own records or from the first and last ones. */
import type { SessionMessage } from "../../core/session.ts";
import { asTime } from "../../lib/json/fields.ts";
import type { SessionHead } from "../adapter.ts";
import { sessionTitle } from "../session-title.ts";
import { headerOf, KIND, type ThreadHeader } from "./format.ts";
import { countIn, cwdIn } from "./format-items.ts";
import { cwdInEnvironment } from "./prompt-text.ts";
import type { Entry } from "./thread-stream.ts";

export class HeadFacts {
  #header: ThreadHeader | undefined;
  #cwd: string | undefined;
  #lastTimestamp: unknown;
  #latestModel: string | undefined;
  #ownPrompt: string | undefined;
  #firstPrompt: string | undefined;
  #countsSeen = false;
  #replied = false;
  #copied = false;
  readonly #replies = new Map<string, { count: number; last: number }>();
  readonly #ancestors = new Set<string>();

  get hasPrompt(): boolean {
    return this.#firstPrompt !== undefined;
  }

  get hasOwnPrompt(): boolean {
    return this.#ownPrompt !== undefined;
  }

  /** Parts of the file are copies; the own records are known only after reading the copies. */
  get hasCopies(): boolean {
    return this.#copied || this.#ancestors.size > 0;
  }

  take(entry: Entry): void {
    const { record } = entry;
    if (!entry.ownFile) return;
    if (record.type === KIND.header) for (const ancestor of entry.ancestors) this.#ancestors.add(ancestor);
    this.#copied ||= entry.inherited;
    if (entry.inherited) return;
    this.#countsSeen ||= entry.usage !== undefined;
    switch (record.type) {
      case KIND.header:
        this.#header ??= headerOf(record.payload);
        // Without further times, the header's time says nothing about the end.
        if (record.bare) return;
        break;
      case KIND.settings:
        this.#latestModel = entry.model;
        this.#cwd ??= cwdIn(record.payload);
        break;
      case KIND.message:
        this.#cwd ??= cwdInEnvironment(record.payload);
        break;
      case KIND.tokenCount:
        this.#countsSeen ||= countIn(record.payload) !== undefined;
        break;
      default:
        break;
    }
    this.#lastTimestamp = record.timestamp ?? this.#lastTimestamp;
  }

  /** Even one that was rewound; Codex does the same. */
  takePrompt(text: string, inherited: boolean): void {
    this.#firstPrompt ??= text;
    if (!inherited) this.#ownPrompt ??= text;
  }

  takeReply(message: SessionMessage, number: number): void {
    if (message.inherited) return;
    this.#replied = true;
    if (message.model === undefined) return;
    const count = (this.#replies.get(message.model)?.count ?? 0) + 1;
    this.#replies.set(message.model, { count, last: number });
  }

  /** `complete`: every record was seen, so a missing fact does not exist. */
  head(name: string | undefined, archived: boolean, complete: boolean): SessionHead {
    return headOf({
      header: this.#header,
      name,
      // What a sub-agent inherits is its context; its conversation begins with its task.
      firstPrompt: (this.#header?.isSubagent ? this.#ownPrompt : undefined) ?? this.#firstPrompt,
      updatedMs: asTime(this.#lastTimestamp),
      model: this.#mostUsedModel() ?? this.#latestModel,
      cwd: this.#cwd,
      archived,
      ancestors: [...this.#ancestors],
      hasCopies: this.#copied,
      usageUnknown: complete && this.#replied && !this.#countsSeen,
    });
  }

  #mostUsedModel(): string | undefined {
    const byUse = [...this.#replies].sort(([, a], [, b]) => b.count - a.count || b.last - a.last);
    return byUse[0]?.[0];
  }
}

interface Facts {
  header: ThreadHeader | undefined;
  name: string | undefined;
  firstPrompt: string | undefined;
  updatedMs: number | undefined;
  model: string | undefined;
  /** Used if the header has none. */
  cwd: string | undefined;
  archived: boolean;
  /** Threads whose headers were copied into the file. */
  ancestors: readonly string[];
  hasCopies: boolean;
  usageUnknown: boolean;
}

function headOf(facts: Facts): SessionHead {
  const { header, ancestors, updatedMs, model } = facts;
  const head: SessionHead = { title: sessionTitle(facts.name, facts.firstPrompt) };
  const {
    id,
    startedMs: createdMs,
    branch,
    commit,
    version: agentVersion,
    parent: parentId,
  }: Partial<ThreadHeader> = header ?? {};
  const cwd = header?.cwd ?? facts.cwd;
  const forkedFrom = header?.forkedFrom ?? ancestors[0];
  if (createdMs !== undefined) head.createdMs = head.startedMs = createdMs;
  if (updatedMs !== undefined) head.updatedMs = updatedMs;
  if (model !== undefined) head.model = model;
  if (cwd !== undefined) head.cwd = cwd;
  if (branch !== undefined) head.branch = branch;
  if (commit !== undefined) head.commit = commit;
  if (agentVersion !== undefined) head.agentVersion = agentVersion;
  if (facts.archived) head.archived = true;
  if (parentId !== undefined) head.parentId = parentId;
  if (forkedFrom !== undefined && forkedFrom !== parentId) head.forkedFrom = forkedFrom;
  // Copies without their own header: a sub-agent's, from its parent.
  const copiedFrom = facts.hasCopies && parentId !== undefined ? [parentId] : [];
  if (id !== undefined) head.familyKeys = [...new Set([id, ...ancestors, ...copiedFrom])];
  if (facts.usageUnknown) head.usageUnknown = true;
  return head;
}
