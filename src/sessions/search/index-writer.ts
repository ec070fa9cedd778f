/** Puts sessions into the index, and takes them out. Runs inside the transactions of whoever calls. */
import type { GrownReader, GrowthPoint, SessionHead, SessionSource } from "../../agents/adapter.ts";
import type { SessionTexts } from "../../agents/text-message.ts";
import type { IndexDatabase } from "../index-db/database.ts";
import { familyOf } from "./copies.ts";
import { documentOf, furtherDocument, type DocumentMessage } from "./document.ts";
import { growthPointOf, resumeOf, type Resume, type TextState } from "./growth.ts";
import { oneLine } from "../../lib/text.ts";
import { MessageMapper } from "./message-map.ts";
import type { MoreRows } from "./session-columns.ts";
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
  read: { head: SessionHead; texts: SessionTexts } | undefined;
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
    for (const row of this.#database.all("SELECT title_row, first_row, rows, more_rows FROM search_session")) {
      const first = Number(row["first_row"]);
      owned[Number(row["title_row"])] = 1;
      owned.fill(1, first, first + Number(row["rows"]));
      const more = row["more_rows"] === null ? [] : (JSON.parse(String(row["more_rows"])) as MoreRows);
      for (const added of more) {
        if (added.void) owned.fill(0, added.void[0], added.void[1] + 1);
        owned.fill(1, added.first, added.first + added.count);
      }
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
    let length = 0;
    let resume: Resume | undefined;
    const mapper = new MessageMapper();
    if (read) {
      const titleLength = this.#words.add(oneLine(read.head.title));
      const point = growthPointOf(read.texts);
      const text = this.#addText(documentOf(read.texts), models, point, mapper);
      length = titleLength + text.length;
      resume = resumeOf(source, point, text.state);
    }
    const map = mapper.bytes(source);
    this.#insertSession(session, { models, length, titleRow, firstRow, resume, map });
  }

  /** Adds to what is known of a session that has grown. The same holds. */
  putFurther({ agent, source }: IndexedSource, head: SessionHead, { known, reader }: Further): void {
    const { resume } = known;
    const titleRow = this.#startRow();
    const titleLength = this.#words.add(oneLine(head.title));
    const first = this.#startRow();
    const models = new Set([...known.models, ...factsOf(agent, source, head).models]);
    const point = growthPointOf(reader);
    const text = this.#addText(furtherDocument(reader.messages(), resume.passageLength), models, point);
    const length = resume.length + text.length;
    const next = resumeOf(source, point, text.state && { ...text.state, length: resume.length + text.state.length });
    const more: MoreRows = [
      ...known.more,
      { first, count: this.#nextRow - first, passage: resume.rowBefore, void: resume.rows },
      ...splitOf(next),
    ];
    const { createdMs, updatedMs } = factsOf(agent, source, head);
    const columns = {
      signature: signatureOf([source]),
      ...headColumns(head),
      source: JSON.stringify(plainSource(source)),
      models: JSON.stringify([...models]),
      family: JSON.stringify(familyOf(source, head)),
      created_ms: createdMs,
      updated_ms: updatedMs,
      length: titleLength + length,
      title_row: titleRow,
      more_rows: JSON.stringify(more),
      resume: next ? JSON.stringify(next) : null,
      // Of what it was before.
      map: null,
    };
    const names = Object.keys(columns);
    this.#database.run(
      `UPDATE search_session SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE agent = ? AND session = ?`,
      ...Object.values(columns),
      agent,
      source.sessionId,
    );
  }

  /** What is known of a session that can be added to. */
  further(agent: string, sessionId: string): KnownText | undefined {
    const row = this.#database.get(
      "SELECT models, more_rows, resume FROM search_session WHERE agent = ? AND session = ? AND resume IS NOT NULL",
      agent,
      sessionId,
    );
    if (row === undefined) return undefined;
    const more = row["more_rows"] === null ? [] : (JSON.parse(String(row["more_rows"])) as MoreRows);
    if (more.length >= MAX_MORE) return undefined;
    const models = JSON.parse(String(row["models"])) as string[];
    return { models, more, resume: JSON.parse(String(row["resume"])) as Resume };
  }

  /** What lies behind the point gets rows of its own, which can be made void. */
  #addText(
    document: Iterable<DocumentMessage>,
    models: Set<string>,
    point: GrowthPoint | undefined,
    mapper?: MessageMapper,
  ): AddedText {
    let length = 0;
    let state: TextState | undefined;
    for (const message of readable(document)) {
      if (message.startsPassage) this.#startRow();
      const isOwn = message.subagent === undefined;
      if (isOwn && message.index === point?.message) {
        const rowBefore = message.startsPassage ? 0 : this.#nextRow - 1;
        if (!message.startsPassage) this.#startRow();
        const passageLength = message.startsPassage ? 0 : message.passageLength;
        state = { length, passageLength, rowBefore, rows: [this.#nextRow - 1, this.#nextRow - 1] };
      }
      if (isOwn && state) state.rows[1] = this.#nextRow - 1;
      if (message.model !== undefined) models.add(message.model);
      length += this.#addMessage(message);
      mapper?.add(message);
    }
    return { length, state };
  }

  #addMessage(message: DocumentMessage): number {
    let positions = 0;
    for (const part of message.parts) positions += this.#words.add(part.text);
    return positions;
  }

  #startRow(): number {
    this.#words.startRow(this.#nextRow);
    return this.#nextRow++;
  }

  #insertSession(
    { agent, source, origins, read }: IndexedSource,
    facts: {
      models: Set<string>;
      length: number;
      titleRow: number;
      firstRow: number;
      resume: Resume | undefined;
      map: Uint8Array | undefined;
    },
  ): void {
    const { createdMs, updatedMs } = factsOf(agent, source, read?.head ?? { title: "" });
    const columns = {
      agent,
      session: source.sessionId,
      signature: signatureOf([source, ...origins]),
      ...headColumns(read?.head),
      source: JSON.stringify(plainSource(source)),
      models: JSON.stringify([...facts.models]),
      origins: origins.length > 0 ? JSON.stringify(origins.map(({ sessionId }) => sessionId)) : null,
      family: JSON.stringify(familyOf(source, read?.head)),
      created_ms: createdMs,
      updated_ms: updatedMs,
      length: facts.length,
      title_row: facts.titleRow,
      first_row: facts.firstRow,
      rows: this.#nextRow - facts.firstRow,
      more_rows: facts.resume ? JSON.stringify(splitOf(facts.resume)) : null,
      resume: facts.resume ? JSON.stringify(facts.resume) : null,
      map: facts.map ?? null,
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

interface AddedText {
  length: number;
  /** At the point, if it was met. */
  state: TextState | undefined;
}

/** The rows of a passage that was divided at the point. */
function splitOf(resume: Resume | undefined): MoreRows {
  if (resume === undefined || resume.rowBefore === 0) return [];
  return [{ first: resume.rows[0], count: 0, passage: resume.rowBefore }];
}

/** What is known of a session's text, and from where on it can be added to. */
export interface KnownText {
  models: readonly string[];
  more: MoreRows;
  resume: Resume;
}

interface Further {
  known: KnownText;
  reader: GrownReader;
}

/** One that has grown so often is read as a whole again: a question has to go through all of its pieces. */
const MAX_MORE = 64;

function headColumns(head: SessionHead | undefined): { head: string | null; titles: string | null } {
  const { titleKeys: _, titlesForOthers, ...rest } = head ?? {};
  return {
    head: head ? JSON.stringify(rest) : null,
    titles: titlesForOthers ? JSON.stringify(titlesForOthers) : null,
  };
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
