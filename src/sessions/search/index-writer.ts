/** Puts sessions into the index, and takes them out. Runs inside the transactions of whoever calls. */
import type { SessionHead, SessionReader, SessionSource } from "../../agents/adapter.ts";
import type { IndexDatabase } from "../index-db/database.ts";
import { familyOf } from "./copies.ts";
import { documentOf } from "./document.ts";
import { oneLine } from "../../lib/text.ts";
import { factsOf } from "./session-fields.ts";
import { plainSource, signatureOf } from "./signature.ts";
import { WordGatherer } from "./word-gatherer.ts";
import { mergeSmall, nextRow, writeSegment } from "./word-segments.ts";

export interface IndexedSource {
  agent: string;
  source: SessionSource;
  /** Sessions in whose files its conversation begins. */
  origins: readonly SessionSource[];
  /** Undefined: there is no conversation. */
  read: { head: SessionHead; reader: SessionReader } | undefined;
}

export class IndexWriter {
  readonly #database: IndexDatabase;
  readonly #words = new WordGatherer();
  #nextRow: number;
  /** First row of what is gathered and not written yet. */
  #segmentStart: number;

  constructor(database: IndexDatabase) {
    this.#database = database;
    this.#nextRow = nextRow(database);
    this.#segmentStart = this.#nextRow;
  }

  /** Writes the words of the sessions that were put since the last time; to be called in the same transaction. */
  flush(): void {
    if (this.#nextRow === this.#segmentStart) return;
    writeSegment(this.#database, this.#words, { first: this.#segmentStart, last: this.#nextRow - 1 });
    this.#segmentStart = this.#nextRow;
  }

  /** Makes one of many small segments. */
  tidy(): void {
    mergeSmall(this.#database, this.#words, this.#ownedRows());
  }

  #ownedRows(): (row: number) => boolean {
    const owned = new Uint8Array(this.#nextRow);
    for (const row of this.#database.all("SELECT title_row, first_row, rows FROM search_session")) {
      const first = Number(row["first_row"]);
      owned[Number(row["title_row"])] = 1;
      owned.fill(1, first, first + Number(row["rows"]));
    }
    return (row) => owned[row] === 1;
  }

  /** Replaces what was known of the session. Throws UnreadableSession, and then nothing is known of it. */
  put(session: IndexedSource): void {
    const { agent, source, read } = session;
    this.remove(agent, source.sessionId);
    const titleRow = this.#startRow();
    const firstRow = this.#nextRow;
    const models = new Set(read ? factsOf(agent, source, read.head).models : []);
    // Rows of a session that turns out to be unreadable belong to nobody.
    const length = read ? this.#addText(read, models) : 0;
    this.#insertSession(session, { models, length, titleRow, firstRow });
  }

  #addText({ head, reader }: NonNullable<IndexedSource["read"]>, models: Set<string>): number {
    let length = this.#words.add(oneLine(head.title));
    for (const message of readable(documentOf(reader))) {
      if (message.startsPassage) this.#startRow();
      if (message.model !== undefined) models.add(message.model);
      for (const part of message.parts) length += this.#words.add(part.text);
    }
    return length;
  }

  #startRow(): number {
    this.#words.startRow(this.#nextRow);
    return this.#nextRow++;
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
      source: JSON.stringify(plainSource(source)),
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
      "SELECT 1 AS known FROM search_session WHERE agent = ? AND session = ? AND head IS NOT NULL",
      agent,
      sessionId,
    );
    if (row === undefined) return;
    const titleRow = this.#startRow();
    this.#words.add(oneLine(title));
    this.#database.run(
      "UPDATE search_session SET title_row = ?, head = json_set(head, '$.title', ?) WHERE agent = ? AND session = ?",
      titleRow,
      title,
      agent,
      sessionId,
    );
  }

  /** Where sessions of an agent lie now that are otherwise as they were. */
  replaceSources(agent: string, sources: Iterable<SessionSource>): void {
    const rows = this.#database.table("FROM search_session WHERE agent = ?", ["session", "source"], agent);
    const known = new Map(rows as [string, string][]);
    for (const source of sources) {
      const text = JSON.stringify(plainSource(source));
      if (known.get(source.sessionId) === text) continue;
      const { sessionId } = source;
      this.#database.run(
        "UPDATE search_session SET source = ? WHERE agent = ? AND session = ?",
        text,
        agent,
        sessionId,
      );
    }
  }

  remove(agent: string, sessionId: string): void {
    this.#database.run("DELETE FROM search_session WHERE agent = ? AND session = ?", agent, sessionId);
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
