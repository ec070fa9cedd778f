/**
 * What the search keeps in the index database.
 *
 *   search_session   one row for each session that was read: as which files, its head, and where its words are
 *   search_segment   words that were gathered in one go, of a range of rows: one for each passage and one for each title
 *   search_block     the words of a segment in sorted blocks (word-block.ts), each with its rows; no text, no positions
 *   search_column    figures of all sessions, made from the rows above after they were written (session-columns.ts)
 *   search_problem   sessions of which nothing could be used, and why (problems.ts)
 *   search_listing   what listing an agent's sessions looked at, so that it need not be done again (listing-record.ts)
 *
 * The words of a row are all forms of `words.ts`. SQLite's own full-text index would hold the same; to fill it took half of
 * the time of building the index, and to ask it most of that of a question.
 */
import type { TableModule } from "../index-db/database.ts";

/** To be raised when the tables, the words or the document of a session change their meaning. */
const FORMAT = 12;

declare const AMUX_VERSION: string | undefined;

/** Readers change from version to version, and what Unicode calls a letter with Node's. */
const BUILT_BY = typeof AMUX_VERSION === "string" ? AMUX_VERSION : "source";

export const SEARCH_TABLES: TableModule = {
  name: "search",
  version: `${FORMAT}/${BUILT_BY}/${process.versions["unicode"] ?? ""}`,
  create: `
    CREATE TABLE search_session (
      -- Never given twice: a question may still ask for one that is gone.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      -- Of the files as they were listed before they were read.
      signature TEXT NOT NULL,
      -- JSON; null: there is no conversation in the files.
      head TEXT,
      -- JSON; where it lies, as it was listed.
      source TEXT NOT NULL,
      models TEXT NOT NULL,
      -- JSON; titles its files hold for other sessions, if any.
      titles TEXT,
      -- JSON; sessions in whose files its conversation begins, if any.
      origins TEXT,
      -- By which copies are known (copies.ts).
      family TEXT NOT NULL,
      created_ms REAL NOT NULL,
      updated_ms REAL NOT NULL,
      -- Positions in the whole document.
      length INTEGER NOT NULL,
      -- Numbers of the rows its words stand in.
      title_row INTEGER NOT NULL,
      first_row INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      -- JSON; further ones, of what was added to its files later (session-columns.ts).
      more_rows TEXT,
      -- JSON; from where on it is read when it has grown (growth.ts). Null: from its beginning.
      resume TEXT,
      -- Where its messages lie (message-map.ts), if that is enough to see one of them again.
      map BLOB,
      UNIQUE (agent, session)
    ) STRICT;
    CREATE TABLE search_column (
      name TEXT PRIMARY KEY,
      data BLOB NOT NULL
    ) STRICT;
    CREATE TABLE search_listing (
      agent TEXT PRIMARY KEY,
      -- Where its sessions were looked for.
      roots TEXT NOT NULL,
      -- JSON; sources of sessions that are not in the index.
      lacking TEXT NOT NULL,
      -- JSON; files that were left out.
      skipped TEXT NOT NULL,
      -- Last, as they are long.
      paths TEXT NOT NULL,
      stamps BLOB NOT NULL,
      owners BLOB NOT NULL
    ) STRICT;
    CREATE TABLE search_problem (
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      path TEXT NOT NULL,
      reason TEXT NOT NULL,
      PRIMARY KEY (agent, session)
    ) STRICT;
    CREATE TABLE search_segment (
      first_row INTEGER PRIMARY KEY,
      last_row INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE search_block (
      segment INTEGER NOT NULL,
      -- Its first word.
      first BLOB NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (segment, first)
    ) STRICT;
  `,
  drop: `
    DROP TABLE IF EXISTS search_session;
    DROP TABLE IF EXISTS search_text;
    DROP TABLE IF EXISTS search_segment;
    DROP TABLE IF EXISTS search_block;
    DROP TABLE IF EXISTS search_column;
    DROP TABLE IF EXISTS search_listing;
    DROP TABLE IF EXISTS search_problem;
  `,
};
