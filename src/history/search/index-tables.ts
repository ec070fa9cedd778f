/** Tables of the search index; README.md in this folder lists them. */
import type { TableModule } from "../cache/database.ts";

/**
 * Raise this when the tables, the words, the document of a session, or what readers make of its files change in meaning. A new
 * Node version does not require it: newly assigned letters then split words only in older entries.
 */
const FORMAT = 17;

export const SEARCH_TABLES: TableModule = {
  name: "search",
  version: String(FORMAT),
  create: `
    CREATE TABLE search_session (
      -- Never reused: a query may still hold a deleted one.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      -- State of the files when they were listed, before reading.
      signature TEXT NOT NULL,
      -- JSON; null: the files hold no conversation.
      head TEXT,
      -- JSON.
      models TEXT NOT NULL,
      -- JSON; titles in its files that belong to other sessions, if any.
      titles TEXT,
      -- JSON; sessions whose files hold the start of its conversation, if any.
      origins TEXT,
      -- JSON; keys that copies share (results.ts).
      family TEXT NOT NULL,
      created_ms REAL NOT NULL,
      updated_ms REAL NOT NULL,
      -- Positions in the whole document.
      length INTEGER NOT NULL,
      UNIQUE (agent, session)
    ) STRICT;
    CREATE VIRTUAL TABLE search_words USING fts5(
      words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
    );
    -- Twice the default: filling takes a tenth less time, and queries no more.
    INSERT INTO search_words (search_words, rank) VALUES ('automerge', 8);
    CREATE TABLE search_passage (
      -- The rowid in search_words.
      row INTEGER PRIMARY KEY,
      session INTEGER NOT NULL,
      -- Number in the session; 0 is its title.
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
