/**
 * The archive's tables, as a list of migrations; a released one is never changed. docs/archive.md lists the tables. Row-level
 * security applies; `passages`, `spending` and `family` are read through functions and a view with the same checks.
 */
import { PURGED_SHARING, SHARING } from "./schema-sharing.ts";

export interface Migration {
  version: number;
  sql: string;
}

const VISIBLE = `(owner = session_user OR team IN (SELECT m.team FROM amux.members m WHERE m.member = session_user))`;
const OWN_TEAM = `(team IS NULL OR team IN (SELECT m.team FROM amux.members m WHERE m.member = session_user))`;
// Not EXISTS: the planner may then read all sessions first, however few rows are wanted.
const PART_OF_VISIBLE = `(SELECT true FROM amux.sessions s WHERE s.id = session)`;
const PART_OF_OWN = `(SELECT true FROM amux.sessions s WHERE s.id = session AND s.owner = session_user)`;

/** Columns summed in `spending`. */
export const SUMS = [
  "requests",
  "nano_usd",
  "input_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "cache_write_1h_tokens",
  "output_tokens",
  "thinking_tokens",
] as const;

/** Tables whose rows belong to a row of `sessions`. */
const PARTS = ["messages", "helpers", "usage", "family", "passages"];
/** Tables whose rows name their owner and concern only them. */
const OWNED = ["copies", "runs", "unread"];

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
      CREATE TABLE amux.members (
        team text COLLATE "C" NOT NULL,
        member name NOT NULL,
        PRIMARY KEY (member, team)
      );

      CREATE TABLE amux.sessions (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        owner name NOT NULL DEFAULT session_user,
        team text COLLATE "C",
        agent text COLLATE "C" NOT NULL,
        session_id text COLLATE "C" NOT NULL,
        -- Digest of everything below: equal digests mean equal sessions.
        digest text COLLATE "C" NOT NULL,
        title text NOT NULL,
        created_ms double precision NOT NULL,
        updated_ms double precision NOT NULL,
        model text,
        directory text COLLATE "C",
        branch text,
        parent_id text COLLATE "C",
        models text[] NOT NULL,
        message_count integer NOT NULL,
        turn_count integer NOT NULL,
        -- The agent wrote no token counts.
        usage_unknown boolean NOT NULL,
        -- When the agent wrote its own total.
        total_ms double precision,
        -- Word positions in the whole text, for ranking.
        length integer NOT NULL,
        -- Heads of the first read and of the whole, and the agent's own totals. json, because a character that
        -- jsonb refuses must not lose a session.
        head json NOT NULL,
        whole_head json NOT NULL,
        totals json,
        UNIQUE (owner, agent, session_id, digest)
      );
      CREATE INDEX sessions_by_id ON amux.sessions (agent, session_id);
      CREATE INDEX sessions_by_date ON amux.sessions (updated_ms DESC, agent, session_id);
      CREATE INDEX sessions_by_owner ON amux.sessions (owner, updated_ms DESC);
      CREATE INDEX sessions_by_turns ON amux.sessions (turn_count);
      CREATE INDEX sessions_by_creation ON amux.sessions (created_ms);
      CREATE INDEX sessions_by_directory ON amux.sessions (directory);
      CREATE INDEX sessions_by_parent ON amux.sessions (parent_id) WHERE parent_id IS NOT NULL;
      CREATE INDEX sessions_by_total ON amux.sessions (total_ms) WHERE total_ms IS NOT NULL;

      CREATE TABLE amux.copies (
        owner name NOT NULL DEFAULT session_user,
        machine text COLLATE "C" NOT NULL,
        agent text COLLATE "C" NOT NULL,
        session_id text COLLATE "C" NOT NULL,
        session bigint NOT NULL REFERENCES amux.sessions,
        -- State of the machine's files; unchanged files are not read again.
        signature text COLLATE "C" NOT NULL,
        -- Version of the redaction rules applied on the machine.
        rules text COLLATE "C" NOT NULL,
        redactions integer NOT NULL,
        pushed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (owner, machine, agent, session_id)
      );
      CREATE INDEX copies_by_session ON amux.copies (session);

      CREATE TABLE amux.messages (
        session bigint NOT NULL REFERENCES amux.sessions ON DELETE CASCADE,
        place bigint NOT NULL,
        digest text COLLATE "C" NOT NULL,
        -- 0: the session's own conversation; else the number of the sub-agent.
        helper integer NOT NULL,
        number integer NOT NULL,
        role text COLLATE "C" NOT NULL,
        at_ms double precision,
        model text,
        content text NOT NULL,
        thinking text,
        -- Tool calls and results, token counts, and texts that PostgreSQL's text type cannot hold.
        details json NOT NULL,
        PRIMARY KEY (session, place)
      );

      CREATE TABLE amux.helpers (
        session bigint NOT NULL REFERENCES amux.sessions ON DELETE CASCADE,
        place bigint NOT NULL,
        digest text COLLATE "C" NOT NULL,
        helper json NOT NULL,
        PRIMARY KEY (session, place)
      );

      CREATE TABLE amux.usage (
        session bigint NOT NULL REFERENCES amux.sessions ON DELETE CASCADE,
        place bigint NOT NULL,
        digest text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        at_ms double precision,
        model text,
        input_tokens double precision NOT NULL,
        cached_tokens double precision NOT NULL,
        cache_write_tokens double precision NOT NULL,
        cache_write_1h_tokens double precision NOT NULL,
        output_tokens double precision NOT NULL,
        thinking_tokens double precision NOT NULL,
        -- Optional: reported cost, sub-agent, modifiers.
        details json NOT NULL,
        PRIMARY KEY (session, place)
      );
      CREATE INDEX usage_by_key ON amux.usage (key, session);
      CREATE INDEX usage_by_time ON amux.usage (at_ms, session);

      CREATE TABLE amux.family (
        session bigint NOT NULL REFERENCES amux.sessions ON DELETE CASCADE,
        place bigint NOT NULL,
        digest text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        PRIMARY KEY (session, place)
      );
      CREATE INDEX family_by_key ON amux.family (key, session);

      CREATE TABLE amux.passages (
        session bigint NOT NULL REFERENCES amux.sessions ON DELETE CASCADE,
        place bigint NOT NULL,
        digest text COLLATE "C" NOT NULL,
        -- 0 is the title. A passage too large for a row continues in the next.
        passage integer NOT NULL,
        words tsvector NOT NULL,
        PRIMARY KEY (session, place)
      );
      CREATE INDEX passages_by_word ON amux.passages USING gin (words);

      CREATE TABLE amux.runs (
        owner name NOT NULL DEFAULT session_user,
        run_id text COLLATE "C" NOT NULL,
        agent text COLLATE "C" NOT NULL,
        session_id text COLLATE "C",
        at_ms double precision,
        tags text[] NOT NULL,
        run json NOT NULL,
        PRIMARY KEY (owner, run_id)
      );
      CREATE INDEX runs_by_session ON amux.runs (agent, session_id);

      CREATE TABLE amux.unread (
        owner name NOT NULL DEFAULT session_user,
        machine text COLLATE "C" NOT NULL,
        agent text COLLATE "C" NOT NULL,
        files integer NOT NULL,
        PRIMARY KEY (owner, machine, agent)
      );

      ALTER TABLE amux.sessions ENABLE ROW LEVEL SECURITY;
      ALTER TABLE amux.sessions FORCE ROW LEVEL SECURITY;
      CREATE POLICY seen ON amux.sessions FOR SELECT USING ${VISIBLE};
      CREATE POLICY made ON amux.sessions FOR INSERT WITH CHECK (owner = session_user AND ${OWN_TEAM});
      CREATE POLICY changed ON amux.sessions FOR UPDATE USING (owner = session_user)
        WITH CHECK (owner = session_user AND ${OWN_TEAM});
      CREATE POLICY removed ON amux.sessions FOR DELETE USING (owner = session_user);

      ${PARTS.map(
        (table) => `
      ALTER TABLE amux.${table} ENABLE ROW LEVEL SECURITY;
      ${table === "passages" ? "" : `ALTER TABLE amux.${table} FORCE ROW LEVEL SECURITY;`}
      CREATE POLICY seen ON amux.${table} FOR SELECT USING (${PART_OF_VISIBLE});
      CREATE POLICY made ON amux.${table} FOR INSERT WITH CHECK (${PART_OF_OWN});
      CREATE POLICY changed ON amux.${table} FOR UPDATE USING (${PART_OF_OWN}) WITH CHECK (${PART_OF_OWN});
      CREATE POLICY removed ON amux.${table} FOR DELETE USING (${PART_OF_OWN});`,
      ).join("\n")}

      ${OWNED.map(
        (table) => `
      ALTER TABLE amux.${table} ENABLE ROW LEVEL SECURITY;
      ALTER TABLE amux.${table} FORCE ROW LEVEL SECURITY;
      CREATE POLICY own ON amux.${table} USING (owner = session_user) WITH CHECK (owner = session_user);`,
      ).join("\n")}
      -- Who sees a session sees its tags.
      CREATE POLICY seen ON amux.runs FOR SELECT USING ((
        SELECT true FROM amux.sessions s
        WHERE s.agent = runs.agent AND s.session_id = runs.session_id AND s.owner = runs.owner LIMIT 1
      ));

      -- Members see their team's other members; only the archive's owner changes them.
      ALTER TABLE amux.members ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON amux.members FOR SELECT USING (member = session_user);

      -- The number of passages per session with all words of a text; the title counts three times (search/matcher.ts).
      -- Each word is a separate query, marked with its text's number. Sessions without a required text are left out.
      CREATE FUNCTION amux.find_words(words tsquery[], text_of_word integer[], needed integer[], weight_of_title integer)
      RETURNS TABLE (session bigint, texts integer[], counts integer[])
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
      AS $body$
        WITH found AS (
          SELECT p.session, p.passage, w.text, w.word
          FROM unnest(find_words.words, text_of_word) WITH ORDINALITY AS w (query, text, word)
          JOIN amux.passages p ON p.words @@ w.query
          GROUP BY p.session, p.passage, w.text, w.word
        ), whole AS (
          SELECT f.session, f.text, f.passage FROM found f
          GROUP BY f.session, f.text, f.passage
          HAVING count(*) = cardinality(array_positions(text_of_word, f.text))
        ), counted AS (
          SELECT w.session, w.text, sum(CASE w.passage WHEN 0 THEN weight_of_title ELSE 1 END)::integer AS count
          FROM whole w GROUP BY w.session, w.text
        ), gathered AS (
          SELECT c.session, array_agg(c.text) AS texts, array_agg(c.count) AS counts
          FROM counted c GROUP BY c.session
          HAVING count(*) FILTER (WHERE c.text = ANY(needed)) = cardinality(needed)
        )
        SELECT g.session, g.texts, g.counts FROM gathered g JOIN amux.sessions s ON s.id = g.session
      $body$;
      REVOKE ALL ON FUNCTION amux.find_words(tsquery[], integer[], integer[], integer) FROM PUBLIC;
    `,
  },
  {
    version: 2,
    sql: `
      -- Version of the prices in spending; null when it has no rows of this state.
      ALTER TABLE amux.sessions ADD COLUMN settled text COLLATE "C";
      -- Other members' sessions may hold the same requests: copies are removed when both can be seen.
      ALTER TABLE amux.sessions ADD COLUMN related boolean NOT NULL DEFAULT true;
      -- Time of its first and last request.
      ALTER TABLE amux.sessions ADD COLUMN spent_from_ms double precision;
      ALTER TABLE amux.sessions ADD COLUMN spent_to_ms double precision;
      CREATE INDEX sessions_related ON amux.sessions (spent_to_ms) WHERE related;
      CREATE INDEX sessions_by_prices ON amux.sessions (settled);

      -- A session's cost per quarter hour, model, kind, directory and branch.
      CREATE TABLE amux.spending (
        session bigint NOT NULL REFERENCES amux.sessions ON DELETE CASCADE,
        place integer NOT NULL,
        from_ms double precision NOT NULL,
        to_ms double precision NOT NULL,
        model text,
        directory text,
        branch text,
        -- From strong to weak: reported, computed, lower-bound, unpriced, unknown.
        kind smallint NOT NULL CHECK (kind BETWEEN 0 AND 4),
        ${SUMS.map((sum) => `${sum} double precision NOT NULL CHECK (${sum} BETWEEN -1e18 AND 1e18)`).join(",\n        ")},
        PRIMARY KEY (session, place)
      );
      CREATE INDEX spending_by_time ON amux.spending (from_ms, session);
      ALTER TABLE amux.spending ENABLE ROW LEVEL SECURITY;
      CREATE POLICY seen ON amux.spending FOR SELECT USING (${PART_OF_VISIBLE});
      CREATE POLICY made ON amux.spending FOR INSERT WITH CHECK (${PART_OF_OWN});
      CREATE POLICY removed ON amux.spending FOR DELETE USING (${PART_OF_OWN});

      -- A policy that checks the session of millions of rows takes minutes, a join seconds. The view
      -- reads spending with its owner's rights, and only sessions that the caller may see.
      CREATE VIEW amux.spent WITH (security_barrier) AS
        SELECT p.*, s.owner, s.agent, s.session_id, s.settled FROM amux.sessions s JOIN amux.spending p ON p.session = s.id
        WHERE NOT s.related;

      -- The caller's sessions that share a family key with another member's; only keys are compared.
      ALTER TABLE amux.family NO FORCE ROW LEVEL SECURITY;
      CREATE FUNCTION amux.related_among(sessions bigint[]) RETURNS SETOF bigint
      LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
      AS $body$
        SELECT s.id FROM amux.sessions s
        WHERE s.id = ANY(related_among.sessions) AND s.owner = session_user AND EXISTS (
          SELECT 1 FROM amux.family f JOIN amux.family o ON o.key = f.key AND o.session <> f.session
          WHERE f.session = s.id AND NOT EXISTS (
            SELECT 1 FROM amux.sessions own WHERE own.id = o.session AND own.owner = session_user
          )
        )
      $body$;
      REVOKE ALL ON FUNCTION amux.related_among(bigint[]) FROM PUBLIC;
    `,
  },
  { version: 3, sql: SHARING },
  { version: 4, sql: PURGED_SHARING },
];

export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.version;

/** A member's rights; policies limit the rows. `role` is already quoted. */
export function grantsTo(role: string): string {
  const tables = ["sessions", ...PARTS, "spending", ...OWNED, "retention"].map((table) => `amux.${table}`).join(", ");
  return `
    GRANT USAGE ON SCHEMA amux TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${role};
    GRANT SELECT ON amux.members, amux.schema_version, amux.spent, amux.sharing TO ${role};
    GRANT EXECUTE ON FUNCTION amux.find_words(tsquery[], integer[], integer[], integer) TO ${role};
    GRANT EXECUTE ON FUNCTION amux.related_among(bigint[]) TO ${role};
    GRANT EXECUTE ON FUNCTION amux.readers_of(bigint[]) TO ${role};
    GRANT EXECUTE ON FUNCTION amux.purge_sharing(text, text) TO ${role};
  `;
}

export function revokesFrom(role: string): string {
  return `
    REVOKE ALL ON ALL TABLES IN SCHEMA amux FROM ${role};
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA amux FROM ${role};
    REVOKE ALL ON SCHEMA amux FROM ${role};
  `;
}
