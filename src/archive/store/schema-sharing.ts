/** Who shared what with whom, and who could read it. Triggers write both records, so that no client can omit or forge a line. */
export const SHARING = `
  CREATE TABLE amux.sharing (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    owner name NOT NULL,
    agent text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    -- Null: shared with no team from then on.
    team text COLLATE "C"
  );
  CREATE INDEX sharing_by_session ON amux.sharing (owner, agent, session_id, number);
  ALTER TABLE amux.sharing ENABLE ROW LEVEL SECURITY;
  CREATE POLICY seen ON amux.sharing FOR SELECT USING (
    owner = session_user OR team IN (SELECT m.team FROM amux.members m WHERE m.member = session_user)
  );

  ALTER TABLE amux.sessions NO FORCE ROW LEVEL SECURITY;
  -- The start of earlier shares is unknown.
  INSERT INTO amux.sharing (at, owner, agent, session_id, team)
    SELECT DISTINCT '-infinity'::timestamptz, owner, agent, session_id, team FROM amux.sessions WHERE team IS NOT NULL;
  ALTER TABLE amux.sessions FORCE ROW LEVEL SECURITY;

  CREATE TABLE amux.membership (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    member name NOT NULL,
    team text COLLATE "C" NOT NULL,
    joined boolean NOT NULL
  );
  INSERT INTO amux.membership (at, member, team, joined) SELECT '-infinity', member, team, true FROM amux.members;

  CREATE FUNCTION amux.note_membership() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $body$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO amux.membership (member, team, joined) VALUES (NEW.member, NEW.team, true);
    ELSE
      INSERT INTO amux.membership (member, team, joined) VALUES (OLD.member, OLD.team, false);
    END IF;
    RETURN NULL;
  END
  $body$;
  REVOKE ALL ON FUNCTION amux.note_membership() FROM PUBLIC;
  CREATE TRIGGER noted AFTER INSERT OR DELETE ON amux.members
    FOR EACH ROW EXECUTE FUNCTION amux.note_membership();

  -- All states of a session are shared together: only the first change is logged.
  CREATE FUNCTION amux.note_sharing() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $body$
  DECLARE
    changed amux.sessions;
    shown text;
    last text;
  BEGIN
    IF TG_OP = 'DELETE' THEN
      changed := OLD;
      PERFORM 1 FROM amux.sessions s
      WHERE s.owner = OLD.owner AND s.agent = OLD.agent AND s.session_id = OLD.session_id;
      IF FOUND THEN
        RETURN NULL;
      END IF;
    ELSE
      changed := NEW;
      shown := NEW.team;
    END IF;
    SELECT h.team INTO last FROM amux.sharing h
    WHERE h.owner = changed.owner AND h.agent = changed.agent AND h.session_id = changed.session_id
    ORDER BY h.number DESC LIMIT 1;
    IF shown IS DISTINCT FROM last THEN
      INSERT INTO amux.sharing (owner, agent, session_id, team)
      VALUES (changed.owner, changed.agent, changed.session_id, shown);
    END IF;
    RETURN NULL;
  END
  $body$;
  REVOKE ALL ON FUNCTION amux.note_sharing() FROM PUBLIC;
  CREATE TRIGGER noted_new AFTER INSERT ON amux.sessions
    FOR EACH ROW WHEN (NEW.team IS NOT NULL) EXECUTE FUNCTION amux.note_sharing();
  CREATE TRIGGER noted_change AFTER UPDATE OF team ON amux.sessions
    FOR EACH ROW WHEN (OLD.team IS DISTINCT FROM NEW.team) EXECUTE FUNCTION amux.note_sharing();
  CREATE TRIGGER noted_end AFTER DELETE ON amux.sessions
    FOR EACH ROW WHEN (OLD.team IS NOT NULL) EXECUTE FUNCTION amux.note_sharing();

  -- Members who could ever read sessions of the caller, through which team, and how many.
  CREATE FUNCTION amux.readers_of(sessions bigint[])
  RETURNS TABLE (reader name, team text, sessions_seen integer, since timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $body$
    WITH asked AS (
      SELECT DISTINCT s.agent, s.session_id FROM amux.sessions s
      WHERE s.id = ANY(readers_of.sessions) AND s.owner = session_user
    ), shown AS (
      SELECT h.agent, h.session_id, h.team, h.at AS begun,
        coalesce(lead(h.at) OVER (PARTITION BY h.agent, h.session_id ORDER BY h.number), 'infinity') AS ended
      FROM amux.sharing h JOIN asked a ON a.agent = h.agent AND a.session_id = h.session_id
      WHERE h.owner = session_user
    ), inside AS (
      SELECT m.member, m.team, m.joined, m.at AS begun,
        coalesce(lead(m.at) OVER (PARTITION BY m.member, m.team ORDER BY m.number), 'infinity') AS ended
      FROM amux.membership m
    )
    SELECT i.member, s.team, count(DISTINCT (s.agent, s.session_id))::integer, min(greatest(s.begun, i.begun))
    FROM shown s JOIN inside i ON i.team = s.team AND i.joined AND s.begun < i.ended AND i.begun < s.ended
    WHERE i.member <> session_user
    GROUP BY i.member, s.team ORDER BY i.member, s.team
  $body$;
  REVOKE ALL ON FUNCTION amux.readers_of(bigint[]) FROM PUBLIC;

  -- Sessions last changed before then are deleted and not sent again.
  CREATE TABLE amux.retention (
    owner name PRIMARY KEY DEFAULT session_user,
    before_ms double precision NOT NULL
  );
  ALTER TABLE amux.retention ENABLE ROW LEVEL SECURITY;
  ALTER TABLE amux.retention FORCE ROW LEVEL SECURITY;
  CREATE POLICY own ON amux.retention USING (owner = session_user) WITH CHECK (owner = session_user);
`;

/** What stands in the record for an id that held a purged value. */
export const PURGED_ID = "[redacted purged]";

/** Only of the caller's sessions that are gone, and only the id: who shared when with whom stays. */
export const PURGED_SHARING = `
  CREATE FUNCTION amux.purge_sharing(of_agent text, of_session text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $body$
    UPDATE amux.sharing h SET session_id = '${PURGED_ID}'
    WHERE h.owner = session_user AND h.agent = of_agent AND h.session_id = of_session AND NOT EXISTS (
      SELECT 1 FROM amux.sessions s
      WHERE s.owner = session_user AND s.agent = of_agent AND s.session_id = of_session)
  $body$;
  REVOKE ALL ON FUNCTION amux.purge_sharing(text, text) FROM PUBLIC;
`;
