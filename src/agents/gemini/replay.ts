/**
 * Replays a chat file: lines replace earlier ones, replace the whole list, or truncate it. Keeps what Gemini CLI would hold, and
 * every reply ever recorded, since rewound replies were billed too. A row stores the place of its record (`P`).
 */
import type { TokenCounts } from "../../core/cost.ts";
import { asObject, wordOf, type Json } from "../../lib/json/fields.ts";
import { beginning } from "../../lib/text/text.ts";
import type { ReadNotes } from "../read-notes.ts";
import {
  callsOf,
  detailOf,
  headerOf,
  type Header,
  identityOf,
  modelOf,
  responsesOf,
  stepOf,
  textOf,
  timeOf,
  tokensOf,
  typeOf,
} from "./format.ts";
import { isImportNote, kindOf, promptText, type RecordKind } from "./record.ts";

export interface Row<P> {
  id: string;
  kind: RecordKind;
  /** When it was first recorded; a resume changes the time. */
  at: number | undefined;
  place: P;
  /** How complete the record at `place` is; a poorer copy does not replace it. */
  detail: number;
  /** The start of a prompt's text; empty for everything else. */
  opening: string;
  /** Equal for a message and its copy under another id. */
  signature: string;
  model: string | undefined;
  tokens: TokenCounts | undefined;
  /** The prompt that a reply answers. */
  prompt: Row<P> | undefined;
  /** Ids of the calls whose results the record holds: a reply's own, or those of a `results` row. */
  answers: readonly string[];
}

export class Replay<P> {
  readonly header: Header = headerOf({});
  /** Every row so far, in order of first appearance. */
  readonly rows: Row<P>[] = [];
  /** When another session's history was imported, if it was. */
  importedMs: number | undefined;
  sawRecord = false;
  /** Rows before the last compression: Gemini CLI drops them, a reader shows them. */
  #compressed: Row<P>[] = [];
  #current: Row<P>[] = [];
  readonly #byTypeAndId = new Map<string, Map<string, Row<P>>>();

  /** One line of a chat file. `placeOf` gives the place of the record, or of the n-th message in its list. */
  see(record: Json, placeOf: (index?: number) => P, notes: ReadNotes): void {
    const step = stepOf(record);
    if (step === undefined) return notes.unknown(Object.keys(record).slice(0, 3).join(",") || "(empty)");
    this.sawRecord = true;
    if (step.kind === "rewind") this.#rewind(step.to);
    else if (step.kind === "message") this.#append(record, placeOf(), notes);
    else {
      this.seeHeader(step.fields);
      if (step.messages) this.#replace(step.messages, placeOf, notes);
    }
  }

  seeHeader(fields: Json): void {
    this.sawRecord = true;
    const { header } = this;
    const { directories, startMs, lastMs, ...told } = headerOf(fields);
    for (const name of ["projectHash", "kind", "summary"] as const) header[name] = told[name] ?? header[name];
    header.directories.push(...directories);
    // A resume within a minute of the start writes a second header into the same file; the first one is valid.
    header.startMs ??= startMs;
    this.#touch(lastMs);
  }

  #touch(at: number | undefined): void {
    if (at !== undefined && at > (this.header.lastMs ?? 0)) this.header.lastMs = at;
  }

  #append(record: Json, place: P, notes: ReadNotes): void {
    const rowsBefore = this.rows.length;
    const row = this.#row(record, place, notes);
    if (row === undefined) return;
    // Repeated records are usually recent, so search from the end.
    if (this.rows.length === rowsBefore && this.#current.lastIndexOf(row) !== -1) return;
    row.prompt ??= this.#current.findLast((other) => other.kind === "prompt");
    this.#current.push(row);
  }

  /** The row of a record: a new one, or the updated row of the same id. */
  #row(record: Json, place: P, notes: ReadNotes): Row<P> | undefined {
    const identity = identityOf(record);
    if (identity === undefined) {
      notes.unknown(`message ${wordOf(typeOf(record))}`);
      return undefined;
    }
    const { id, type } = identity;
    const at = timeOf(record);
    this.#touch(at);
    if (isImportNote(record)) this.importedMs ??= at;
    const detail = detailOf(record);
    // By type too: a resume lists tool results under the id of the reply that called for them.
    const ofType = this.#byTypeAndId.get(type) ?? new Map<string, Row<P>>();
    this.#byTypeAndId.set(type, ofType);
    const known = ofType.get(id);
    if (known === undefined) {
      const row: Row<P> = { id, at, prompt: undefined, ...contentOf(record), place, detail };
      ofType.set(id, row);
      this.rows.push(row);
      return row;
    }
    if (detail >= known.detail) {
      const { model, tokens, at: firstAt } = known;
      Object.assign(known, contentOf(record), { place, detail, at: firstAt ?? at });
      known.model ??= model;
      known.tokens ??= tokens;
    }
    return known;
  }

  #rewind(id: string): void {
    const index = this.#current.findIndex((row) => row.id === id);
    // An unknown id empties the list, as in Gemini CLI.
    this.#current = this.#current.slice(0, Math.max(index, 0));
  }

  #replace(messages: unknown[], placeOf: (index?: number) => P, notes: ReadNotes): void {
    const rows = new Set<Row<P>>();
    let prompt: Row<P> | undefined;
    for (const [index, item] of messages.entries()) {
      const record = asObject(item);
      const row = record && this.#row(record, placeOf(index), notes);
      if (row === undefined) continue;
      if (row.kind === "prompt") prompt = row;
      else row.prompt ??= prompt;
      rows.add(row);
    }
    const list = [...rows];
    // A second start within the same minute writes its context into the same file; nothing was rewound.
    if (list.every((row) => row.kind === "hidden") && this.#current.some((row) => row.kind !== "hidden")) return;
    const summary = list.find((row) => row.kind === "summary");
    if (summary && !this.#current.some((row) => row.signature === summary.signature)) {
      this.#compressed = [...this.#compressed, ...this.#current];
    }
    this.#current = list;
  }

  get hasConversation(): boolean {
    return this.rows.some((row) => row.kind === "prompt" || row.kind === "reply");
  }

  /** The visible rows, in order. */
  view(): Row<P>[] {
    const rows = [...this.#compressed, ...this.#afterOverlap()].filter((row) => row.kind !== "hidden");
    const originals = this.#originalsOf(rows);
    const view = rows.map((row) => originals.get(row) ?? row);
    // After a rewind the list lacks the first prompt if it shared a record with the context.
    const first = view.find((row) => row.kind === "prompt" || row.kind === "reply");
    if (first?.kind === "reply" && first.prompt) view.unshift(first.prompt);
    return view;
  }

  /** A compression keeps the last messages: they appear after the summary and before it too. */
  #afterOverlap(): Row<P>[] {
    const before = spokenIn(this.#compressed).map(([, row]) => row);
    const summary = this.#current.findIndex((row) => row.kind === "summary");
    const after = spokenIn(this.#current).filter(([index]) => index > summary);
    for (let length = Math.min(before.length, after.length); length > 0; length--) {
      const from = before.length - length;
      let same = 0;
      while (same < length && before[from + same]!.signature === after[same]![1].signature) same++;
      if (same < length) continue;
      const end = after[length]?.[0] ?? this.#current.length;
      return this.#current.filter((_, index) => index <= summary || index >= end);
    }
    return this.#current;
  }

  /**
   * After a refused tool call Gemini CLI records the history again: new ids, new times, no tokens. Such a copy is matched to its
   * original reply, and its prompt to the prompt before that.
   */
  #originalsOf(rows: readonly Row<P>[]): Map<Row<P>, Row<P>> {
    const originals = new Map<Row<P>, Row<P>>();
    const inView = new Set(rows);
    const spare = new Map<string, Row<P>[]>();
    for (const row of this.rows) {
      if (row.kind !== "reply" || row.tokens === undefined || inView.has(row)) continue;
      const same = spare.get(row.signature);
      if (same) same.push(row);
      else spare.set(row.signature, [row]);
    }
    for (const row of rows) {
      if (row.kind !== "reply" || row.tokens !== undefined || row.model !== undefined) continue;
      const original = spare.get(row.signature)?.shift();
      if (original === undefined) continue;
      originals.set(row, original);
      const { prompt } = original;
      if (prompt && row.prompt && prompt.signature === row.prompt.signature) originals.set(row.prompt, prompt);
    }
    return originals;
  }
}

/** Prompts and replies with their indexes. */
function spokenIn<P>(rows: readonly Row<P>[]): [index: number, row: Row<P>][] {
  return [...rows.entries()].filter(([, { kind }]) => kind === "prompt" || kind === "reply");
}

/** Enough of a text for a title, and to distinguish two messages of one session. */
const OPENING_LENGTH = 400;

const NONE: readonly string[] = [];

type RowContent = Pick<Row<unknown>, "kind" | "opening" | "signature" | "model" | "tokens" | "answers">;

function contentOf(record: Json): RowContent {
  const kind = kindOf(record);
  const text = kind === "prompt" ? promptText(record) : textOf(record);
  const calls = kind === "reply" ? callsOf(record) : [];
  const responses = kind === "results" ? responsesOf(record) : calls.filter((call) => call.response);
  const ids = (kind === "reply" ? calls : responses).map((item) => item.id);
  return {
    kind,
    opening: kind === "prompt" ? beginning(text, OPENING_LENGTH) : "",
    signature: digest(kind, String(text.length), text.slice(0, OPENING_LENGTH), ...ids),
    model: kind === "reply" ? modelOf(record) : undefined,
    tokens: kind === "reply" ? tokensOf(record) : undefined,
    answers: responses.length === 0 ? NONE : responses.map((response) => response.id),
  };
}

/** A short hash of these texts: a long session has hundreds of thousands of rows. */
function digest(...texts: string[]): string {
  return process.getBuiltinModule("node:crypto").hash("sha1", texts.join("\0"), "base64");
}
