/**
 * What the search keeps in the index database.
 *
 *   search_session   one row for each session that was read: as which files, its head, and where its messages lie
 *   search_words     the words of each passage and of each title, in SQLite's full-text index; no text, no positions
 *   search_passage   whose words a row of `search_words` holds
 *   search_problem   sessions of which nothing could be used, and why (problems.ts)
 *
 * The words of a row are all forms of `words.ts`, folded already: the tokenizer only divides them at blanks.
 */
import type { TableModule } from "../cache/database.ts";

/**
 * Raise this when the tables, the words, the document of a session, or what readers make of its files change in meaning. A new
 * Node version does not require it: newly assigned letters then split words only in older entries.
 */
const FORMAT = 15;

export const SEARCH_TABLES: TableModule = {
  name: "search",
  version: String(FORMAT),
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
      -- JSON.
      models TEXT NOT NULL,
      -- JSON; titles its files hold for other sessions, if any.
      titles TEXT,
      -- JSON; sessions in whose files its conversation begins, if any.
      origins TEXT,
      -- JSON; keys that copies share (results.ts).
      family TEXT NOT NULL,
      created_ms REAL NOT NULL,
      updated_ms REAL NOT NULL,
      -- Positions in the whole document.
      length INTEGER NOT NULL,
      -- JSON; from where on it is read when it has grown (growth.ts). Null: from its beginning.
      resume TEXT,
      -- Where its messages lie (message-map.ts), if that is enough to see one of them again.
      map BLOB,
      UNIQUE (agent, session)
    ) STRICT;
    CREATE VIRTUAL TABLE search_words USING fts5(
      words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
    );
    -- Twice the default: a tenth less work to fill it, and no more to ask it.
    INSERT INTO search_words (search_words, rank) VALUES ('automerge', 8);
    CREATE TABLE search_passage (
      -- The rowid in search_words.
      row INTEGER PRIMARY KEY,
      session INTEGER NOT NULL,
      -- Number in the session; 0 is its title. A passage that was added to has several rows.
      passage INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX search_passage_session ON search_passage (session);
    CREATE TABLE search_problem (
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      path TEXT NOT NULL,
      reason TEXT NOT NULL,
      PRIMARY KEY (agent, session)
    ) STRICT;
  `,
  // Includes tables of earlier versions.
  drop: `
    DROP TABLE IF EXISTS search_session;
    DROP TABLE IF EXISTS search_words;
    DROP TABLE IF EXISTS search_passage;
    DROP TABLE IF EXISTS search_listing;
    DROP TABLE IF EXISTS search_problem;
    DROP TABLE IF EXISTS search_text;
    DROP TABLE IF EXISTS search_segment;
    DROP TABLE IF EXISTS search_block;
    DROP TABLE IF EXISTS search_column;
  `,
};
