/** Tables that cache heads, counts and costs of sessions; README.md in this folder lists them. */
import type { TableModule } from "./database.ts";

/**
 * Raise this when the tables change, or what a reader makes of a session. Do not derive it from the amux version: two versions
 * used in turn would discard each other's cache.
 */
const FORMAT = 7;

export const SESSION_TABLES: TableModule = {
  name: "sessions",
  version: String(FORMAT),
  create: `
    CREATE TABLE session_listing (
      agent TEXT PRIMARY KEY,
      -- JSON (listing.ts).
      listing TEXT NOT NULL
    ) STRICT;
    CREATE TABLE session_head (
      agent TEXT NOT NULL,
      id TEXT NOT NULL,
      stamp TEXT NOT NULL,
      -- JSON; null: the files hold no conversation.
      head TEXT,
      -- JSON; record ids with which other sessions' files may refer to this one.
      title_keys TEXT,
      PRIMARY KEY (agent, id)
    ) STRICT;
    CREATE TABLE session_account (
      agent TEXT NOT NULL,
      id TEXT NOT NULL,
      stamp TEXT NOT NULL,
      prices TEXT NOT NULL,
      -- JSON; other sessions' files it depends on, with their stamps.
      others TEXT NOT NULL,
      -- JSON; null: the files hold no conversation.
      head TEXT,
      -- 1: the agent wrote no token counts.
      is_unknown INTEGER NOT NULL,
      messages INTEGER NOT NULL,
      turns INTEGER NOT NULL,
      -- JSON lists: models; sums by kind, and sums of equal requests (spending.ts). The longest comes last.
      models TEXT NOT NULL,
      totals TEXT NOT NULL,
      spending TEXT NOT NULL,
      -- Numbers of its requests' keys.
      keys TEXT NOT NULL,
      PRIMARY KEY (agent, id)
    ) STRICT;
    CREATE TABLE session_fork (
      agent TEXT NOT NULL,
      id TEXT NOT NULL,
      -- Of all sessions of its family.
      stamp TEXT NOT NULL,
      parent TEXT,
      PRIMARY KEY (agent, id)
    ) STRICT;
    CREATE TABLE session_write (count INTEGER NOT NULL) STRICT;
    INSERT INTO session_write VALUES (0);
    CREATE VIEW session AS
      SELECT agent, id, head ->> 'title' AS title, head ->> 'cwd' AS cwd, head ->> 'branch' AS branch,
        head ->> 'model' AS model, datetime((head ->> 'createdMs') / 1000, 'unixepoch') AS created,
        datetime((head ->> 'updatedMs') / 1000, 'unixepoch') AS updated, messages, turns, usd
      FROM (
        SELECT agent, id, coalesce(a.head, h.head) AS head, a.messages, a.turns,
          (SELECT sum(value ->> 'nanoUsd') / 1e9 FROM json_each(a.totals)) AS usd
        FROM session_head h FULL JOIN session_account a USING (agent, id)
      ) WHERE head IS NOT NULL;
    CREATE VIEW spending AS
      SELECT a.agent, a.id, datetime((value ->> 'at') / 1000, 'unixepoch') AS first,
        datetime((value ->> 'to') / 1000, 'unixepoch') AS last, value ->> 'requests' AS requests,
        (value ->> 'nanoUsd') / 1e9 AS usd, value ->> '$.tokens.input' AS input, value ->> '$.tokens.cached' AS cached,
        value ->> '$.tokens.cacheWrite' AS cache_write, value ->> '$.tokens.cacheWrite1h' AS cache_write_1h,
        value ->> '$.tokens.output' AS output, value ->> '$.tokens.thinking' AS thinking, value ->> 'model' AS model,
        value ->> 'cwd' AS cwd, value ->> 'branch' AS branch, value ->> 'kind' AS kind,
        value ->> 'subagent' IS NOT NULL AS is_subagent
      FROM session_account a, json_each(a.spending);
  `,
  drop: `
    DROP VIEW IF EXISTS session;
    DROP VIEW IF EXISTS spending;
    DROP TABLE IF EXISTS session_listing;
    DROP TABLE IF EXISTS session_head;
    DROP TABLE IF EXISTS session_account;
    DROP TABLE IF EXISTS session_fork;
    DROP TABLE IF EXISTS session_write;
  `,
};
