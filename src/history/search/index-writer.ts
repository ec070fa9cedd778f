/** Adds sessions to the index and removes them. Runs inside the caller's transaction. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import type { SkippedFile } from "../../agents/read-notes.ts";
import type { IndexDatabase, SqlValue } from "../cache/database.ts";
import { familyOf } from "./results.ts";
import { TITLE_PASSAGE, titleRow, type IndexedRow, type IndexedText } from "./document.ts";
import { factsOf } from "./filter.ts";
import { signatureOf } from "../cache/signature.ts";

export interface IndexedSource {
  agent: string;
  source: SessionSource;
  /** Sessions whose files its conversation begins in. */
  origins: readonly SessionSource[];
  /** Undefined if there is no conversation. */
  read: ReadSession | undefined;
}

export interface ReadSession {
  head: SessionHead;
  text: IndexedText;
}

export class IndexWriter {
  readonly #database: IndexDatabase;
  #nextRow: number;

  constructor(database: IndexDatabase) {
    this.#database = database;
    this.#nextRow = Number(database.get("SELECT max(row) AS last FROM search_passage")?.["last"] ?? 0) + 1;
  }

  /** Replaces the session's entry. */
  put({ agent, source, origins, read }: IndexedSource): void {
    this.remove(agent, source.sessionId);
    const title = read && titleRow(read.head.title);
    const facts = factsOf(agent, source, read?.head ?? { title: "" });
    const columns: Record<string, SqlValue> = {
      agent,
      session: source.sessionId,
      signature: signatureOf([source, ...origins]),
      ...headColumns(read?.head),
      models: JSON.stringify([...new Set([...facts.models, ...(read?.text.models ?? [])])]),
      origins: origins.length > 0 ? JSON.stringify(origins.map(({ sessionId }) => sessionId)) : null,
      family: JSON.stringify(familyOf(source, read?.head)),
      created_ms: facts.createdMs,
      updated_ms: facts.updatedMs,
      length: (title?.length ?? 0) + (read?.text.length ?? 0),
    };
    const names = Object.keys(columns);
    this.#database.run(
      `INSERT INTO search_session (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ...Object.values(columns),
    );
    if (read === undefined) return;
    const id = Number(this.#database.get("SELECT last_insert_rowid() AS id")!["id"]);
    this.#putRows(id, [...read.text.rows, title!.row]);
  }

  #putRows(session: number, rows: readonly IndexedRow[]): void {
    for (const { passage, words } of rows) {
      const row = this.#nextRow++;
      this.#database.run("INSERT INTO search_words (rowid, words) VALUES (?, ?)", row, words);
      this.#database.run("INSERT INTO search_passage (row, session, passage) VALUES (?, ?, ?)", row, session, passage);
    }
  }

  #removeRows(which: string, ...values: SqlValue[]): void {
    const rows = `SELECT row FROM search_passage WHERE ${which}`;
    this.#database.run(`DELETE FROM search_words WHERE rowid IN (${rows})`, ...values);
    this.#database.run(`DELETE FROM search_passage WHERE row IN (${rows})`, ...values);
  }

  /** Changes the title of an indexed session. */
  retitle(agent: string, sessionId: string, title: string): void {
    const row = this.#database.get(
      "SELECT id, head ->> 'title' AS title FROM search_session WHERE agent = ? AND session = ? AND head IS NOT NULL",
      agent,
      sessionId,
    );
    if (row === undefined) return;
    const id = Number(row["id"]);
    this.#removeRows("session = ? AND passage = ?", id, TITLE_PASSAGE);
    const before = titleRow(String(row["title"] ?? "")).length;
    const { row: words, length } = titleRow(title);
    this.#putRows(id, [words]);
    this.#database.run(
      "UPDATE search_session SET head = json_set(head, '$.title', ?), length = length + ? WHERE id = ?",
      ...[title, length - before, id],
    );
  }

  /** Why a session is indexed as empty or in part; undefined if there is no reason any more. */
  putProblem(agent: string, sessionId: string, problem: SkippedFile | undefined): void {
    this.#database.run("DELETE FROM search_problem WHERE agent = ? AND session = ?", agent, sessionId);
    if (problem === undefined) return;
    const { path, reason } = problem;
    this.#database.run("INSERT INTO search_problem VALUES (?, ?, ?, ?)", agent, sessionId, path, reason);
  }

  remove(agent: string, sessionId: string): void {
    const row = this.#database.get("SELECT id FROM search_session WHERE agent = ? AND session = ?", agent, sessionId);
    if (row === undefined) return;
    const id = Number(row["id"]);
    this.#removeRows("session = ?", id);
    this.#database.run("DELETE FROM search_session WHERE id = ?", id);
  }
}

function headColumns(head: SessionHead | undefined): { head: string | null; titles: string | null } {
  const { titleKeys: _, titlesForOthers, ...rest } = head ?? {};
  return {
    head: head ? JSON.stringify(rest) : null,
    titles: titlesForOthers ? JSON.stringify(titlesForOthers) : null,
  };
}
