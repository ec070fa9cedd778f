/**
 * What is kept of sessions between two commands: heads, counts, sums. A row holds for files as they were (`signature`);
 * an account also for the prices it was made with and for the other files it was read from.
 */
import type { TableModule } from "./database.ts";

/** To be raised when the meaning of a column changes, or what a reader makes of a session. */
const FORMAT = 2;

declare const AMUX_VERSION: string | undefined;

/** Readers change from version to version. */
const BUILT_BY = typeof AMUX_VERSION === "string" ? AMUX_VERSION : "source";

export const SESSION_TABLES: TableModule = {
  name: "sessions",
  version: `${FORMAT}/${BUILT_BY}`,
  create: `
    CREATE TABLE kept_head (
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      signature TEXT NOT NULL,
      -- JSON without title keys; null: there is no conversation in the files.
      head TEXT,
      -- JSON list; only looked at when some session holds titles for others.
      title_keys TEXT,
      PRIMARY KEY (agent, session)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE kept_account (
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      signature TEXT NOT NULL,
      -- Digest of the price table.
      prices TEXT NOT NULL,
      -- JSON list of paths and stamps of other sessions' files it was read from, if any.
      others TEXT,
      -- JSON; null: there is no conversation in the files.
      head TEXT,
      messages INTEGER NOT NULL,
      turns INTEGER NOT NULL,
      -- JSON list of the models it used.
      models TEXT NOT NULL,
      spending TEXT NOT NULL,
      -- Numbers of the requests' keys, 4 bytes each, in base64.
      keys TEXT NOT NULL,
      PRIMARY KEY (agent, session)
    ) STRICT, WITHOUT ROWID;
    -- Raised whenever accounts are written. Sessions are settled with each other, so an account that was made from older
    -- ones must not be put beside newer ones.
    CREATE TABLE kept_generation (number INTEGER NOT NULL) STRICT;
    INSERT INTO kept_generation VALUES (0);
    CREATE TABLE kept_fork (
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      -- Of all sessions of its family.
      signature TEXT NOT NULL,
      -- Null: it is nobody's fork.
      parent TEXT,
      PRIMARY KEY (agent, session)
    ) STRICT, WITHOUT ROWID;
  `,
  drop: `
    DROP TABLE IF EXISTS kept_head;
    DROP TABLE IF EXISTS kept_account;
    DROP TABLE IF EXISTS kept_generation;
    DROP TABLE IF EXISTS kept_fork;
  `,
};
