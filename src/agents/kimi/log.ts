/** A log, replayed: rows of the conversation, those that were taken back, and the bill. Contents stay in the file. */
import type { TokenCounts } from "../../core/cost.ts";
import type { MessageRole } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { entryOf, timeOf, typeOf, type Entry } from "./format.ts";

/** One message and what belongs to it. */
export interface Row<Place> {
  kind: "prompt" | "reply" | "notice";
  /** Its records, in order. */
  places: Place[];
  /** Whether it says or calls anything. */
  says: boolean;
  results: number;
  at: number | undefined;
  model?: string;
  tokens?: TokenCounts;
  /** Copied from another session. */
  inherited?: true;
}

export interface Helper {
  label: string | undefined;
  toolCallId: string | undefined;
}

export class Log<Place> {
  rows: Row<Place>[] = [];
  /** What was taken back. */
  readonly aside: Row<Place>[] = [];
  readonly usage = new Map<string, UsageRecord>();
  readonly helpers = new Map<string, Helper>();
  readonly models: string[] = [];
  firstPrompt: string | undefined;
  firstMs: number | undefined;
  lastMs: number | undefined;
  readonly #steps = new Map<string, Row<Place>>();
  readonly #calls = new Map<string, Row<Place>>();
  readonly #aliases = new Map<string, string>();
  #open: Row<Place> | undefined;

  see(record: Json, place: Place, notes?: ReadNotes): void {
    const at = timeOf(record);
    this.firstMs ??= at;
    if (at !== undefined) this.lastMs = Math.max(at, this.lastMs ?? at);
    const entry = entryOf(record);
    if (entry === undefined) notes?.unknown(typeOf(record));
    else this.#apply(entry, place, at);
  }

  #apply(entry: Entry, place: Place, at: number | undefined): void {
    switch (entry.is) {
      case "prompt":
        this.firstPrompt ??= entry.text;
        this.#add({ kind: "prompt", places: [place], says: true, results: 0, at });
        return;
      case "notice":
        this.#add({ kind: "notice", places: [place], says: true, results: 0, at });
        return;
      case "step":
        this.#open = this.#add({ kind: "reply", places: [], says: false, results: 0, at });
        this.#steps.set(entry.step, this.#open);
        return;
      case "text":
      case "thought":
      case "call": {
        const row = this.#steps.get(entry.step) ?? this.#add({ kind: "reply", places: [], says: true, results: 0, at });
        this.#steps.set(entry.step, row);
        row.says = true;
        row.places.push(place);
        if (entry.is === "call") this.#calls.set(entry.id, row);
        return;
      }
      case "result": {
        // A damaged line loses a call, but not its result.
        const row =
          this.#calls.get(entry.callId) ?? this.#add({ kind: "reply", places: [], says: false, results: 0, at });
        row.places.push(place);
        row.results++;
        return;
      }
      case "step end": {
        const row = this.#steps.get(entry.step);
        if (row && entry.tokens) row.tokens = entry.tokens;
        return;
      }
      case "request":
        if (entry.model === undefined) return;
        this.#aliases.set(entry.alias ?? entry.model, entry.model);
        this.models.push(entry.model);
        if (this.#open) this.#open.model = entry.model;
        return;
      case "usage":
        this.#bill(entry.tokens, entry.alias, at);
        return;
      case "undo":
        this.#takeBack(entry.prompts);
        return;
      case "clear":
        this.aside.push(...this.rows.splice(0));
        return;
      case "fork":
        for (const row of this.rows) row.inherited = true;
        for (const row of this.aside) row.inherited = true;
        for (const [key, record] of this.usage) this.usage.set(key, { ...record, copied: true });
        return;
      case "helper":
        this.helpers.set(entry.id, entry);
        return;
      default:
        return;
    }
  }

  #add(row: Row<Place>): Row<Place> {
    this.rows.push(row);
    return row;
  }

  /** Copies of a request keep its time. An interrupted one has zeros. */
  #bill(tokens: TokenCounts, alias: string | undefined, at: number | undefined): void {
    const counts = Object.values(tokens);
    const isEmpty = counts.every((count) => count === 0);
    const key = `${at ?? this.usage.size} ${counts.join(" ")}`;
    const model = alias === undefined ? undefined : (this.#aliases.get(alias) ?? alias);
    this.usage.set(key, {
      key,
      tokens,
      ...optional("at", at),
      ...optional("model", model),
      ...(isEmpty ? { lowerBound: true } : {}),
    });
  }

  #takeBack(prompts: number): void {
    let [at, left] = [this.rows.length, prompts];
    while (left > 0 && at > 0) if (this.rows[--at]!.kind === "prompt") left--;
    this.aside.push(...this.rows.splice(at));
  }
}

const ROLES: Record<Row<unknown>["kind"], MessageRole> = { prompt: "user", reply: "assistant", notice: "system" };

/** The roles of the messages, without loading anything. */
export function* rolesOf(rows: readonly Row<unknown>[]): Generator<{ role: MessageRole }> {
  for (const { kind, says, results } of rows) {
    if (says) yield { role: ROLES[kind] };
    for (let left = results; left > 0; left--) yield { role: "tool" };
  }
}
