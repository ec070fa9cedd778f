/** Puts sessions into the index, and takes them out. Runs inside the transactions of whoever calls. */
import type { SessionHead, SessionReader, SessionSource } from "../../agents/adapter.ts";
import type { IndexDatabase } from "../index-db/database.ts";
import { familyOf } from "./copies.ts";
import { documentOf } from "./document.ts";
import { oneLine } from "../../lib/text.ts";
import { PassageWords } from "./passage-words.ts";
import { factsOf } from "./session-fields.ts";
import { signatureOf } from "./signature.ts";

export interface IndexedSource {
  agent: string;
  source: SessionSource;
  /** Sessions in whose files its conversation begins. */
  origins: readonly SessionSource[];
  /** Undefined: there is no conversation. */
  read: { head: SessionHead; reader: SessionReader } | undefined;
}

const MUCH_BYTES = 32 * 1024 * 1024;
const GATHERED_BYTES = 64 * 1024 * 1024;

export class IndexWriter {
  readonly #database: IndexDatabase;
  readonly #words = new PassageWords();
  #nextRow: number;

  constructor(database: IndexDatabase) {
    this.#database = database;
    const row = database.get("SELECT max(max(title_row, first_row + rows)) AS last FROM search_session");
    this.#nextRow = Number(row?.["last"] ?? 0) + 1;
  }

  /**
   * Told how much is to come. Much is gathered in memory and written in few, large pieces, which are not merged again; a
   * little is merged with what is there, as FTS5 does by itself.
   */
  expect(bytes: number): void {
    const isMuch = bytes > MUCH_BYTES;
    const settings = {
      hashsize: isMuch ? GATHERED_BYTES : 1024 * 1024,
      automerge: isMuch ? 0 : 4,
      crisismerge: isMuch ? 64 : 16,
    };
    for (const [name, value] of Object.entries(settings)) {
      this.#database.run("INSERT INTO search_text (search_text, rank) VALUES (?, ?)", name, value);
    }
  }

  /** Replaces what was known of the session. Throws UnreadableSession, and then nothing is known of it. */
  put(session: IndexedSource): void {
    const { agent, source, read } = session;
    this.remove(agent, source.sessionId);
    const titleRow = this.#nextRow++;
    const firstRow = this.#nextRow;
    const models = new Set(read ? factsOf(agent, source, read.head).models : []);
    let length = 0;
    try {
      if (read) length = this.#insertText(read, titleRow, models);
    } catch (error) {
      this.#words.take();
      this.#removeText(titleRow, firstRow, this.#nextRow - firstRow);
      throw error;
    }
    this.#insertSession(session, { models, length, titleRow, firstRow });
  }

  #insertText({ head, reader }: NonNullable<IndexedSource["read"]>, titleRow: number, models: Set<string>): number {
    let length = this.#words.add(oneLine(head.title));
    this.#insert(titleRow);
    let isFirst = true;
    for (const message of readable(documentOf(reader))) {
      if (message.startsPassage && !isFirst) this.#insert(this.#nextRow++);
      isFirst = false;
      if (message.model !== undefined) models.add(message.model);
      for (const part of message.parts) length += this.#words.add(part.text);
    }
    this.#insert(this.#nextRow++);
    return length;
  }

  #insert(row: number): void {
    const words = this.#words.take();
    if (words !== "") this.#database.run("INSERT INTO search_text (rowid, words) VALUES (?, ?)", row, words);
  }

  #insertSession(
    { agent, source, origins, read }: IndexedSource,
    facts: { models: Set<string>; length: number; titleRow: number; firstRow: number },
  ): void {
    const { createdMs, updatedMs } = factsOf(agent, source, read?.head ?? { title: "" });
    const { titleKeys: _, titlesForOthers, ...head } = read?.head ?? {};
    const columns = {
      agent,
      session: source.sessionId,
      signature: signatureOf([source, ...origins]),
      head: read ? JSON.stringify(head) : null,
      models: JSON.stringify([...facts.models]),
      titles: titlesForOthers ? JSON.stringify(titlesForOthers) : null,
      origins: origins.length > 0 ? JSON.stringify(origins.map(({ sessionId }) => sessionId)) : null,
      family: JSON.stringify(familyOf(source, read?.head)),
      created_ms: createdMs,
      updated_ms: updatedMs,
      length: facts.length,
      title_row: facts.titleRow,
      first_row: facts.firstRow,
      rows: this.#nextRow - facts.firstRow,
    };
    const names = Object.keys(columns);
    this.#database.run(
      `INSERT INTO search_session (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ...Object.values(columns),
    );
  }

  /** Another title for a session whose text is known. */
  retitle(agent: string, sessionId: string, title: string): void {
    const row = this.#database.get(
      "SELECT title_row FROM search_session WHERE agent = ? AND session = ? AND head IS NOT NULL",
      agent,
      sessionId,
    );
    if (row === undefined) return;
    const titleRow = Number(row["title_row"]);
    this.#removeText(titleRow, 0, 0);
    this.#words.add(oneLine(title));
    this.#insert(titleRow);
    this.#database.run(
      "UPDATE search_session SET head = json_set(head, '$.title', ?) WHERE agent = ? AND session = ?",
      title,
      agent,
      sessionId,
    );
  }

  remove(agent: string, sessionId: string): void {
    const row = this.#database.get(
      "SELECT id, title_row, first_row, rows FROM search_session WHERE agent = ? AND session = ?",
      agent,
      sessionId,
    );
    if (row === undefined) return;
    this.#removeText(Number(row["title_row"]), Number(row["first_row"]), Number(row["rows"]));
    this.#database.run("DELETE FROM search_session WHERE id = ?", Number(row["id"]));
  }

  #removeText(titleRow: number, firstRow: number, rows: number): void {
    const sql = "DELETE FROM search_text WHERE rowid = ?";
    this.#database.run(sql, titleRow);
    for (let row = firstRow; row < firstRow + rows; row++) this.#database.run(sql, row);
  }
}

/** The session could not be read to its end: its fault, not the index's. */
export class UnreadableSession extends Error {}

function* readable<T>(items: Iterable<T>): Generator<T> {
  try {
    yield* items;
  } catch (error) {
    throw new UnreadableSession((error as Error).message, { cause: error });
  }
}
