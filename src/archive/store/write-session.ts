/** Writes one session in one transaction. For an existing session only the changed rows are sent. */
import type { ArchivedSession } from "../archived-session.ts";
import type { Connection } from "./connection.ts";
import { datesOf, rowsOf, type PartRow, type PartTable, type SessionRows } from "./rows.ts";

export interface CopyFacts {
  machine: string;
  signature: string;
  rules: string;
  redactions: number;
  /** Unchanged by default; a new session is private. */
  team?: string | undefined;
  /** Whether what a machine sent under these rules may be shared without another look. */
  passes: (machine: string, rules: string) => boolean;
}

export type Written = "new" | "changed" | "same";

export async function writeSession(
  connection: Connection,
  session: ArchivedSession,
  copy: CopyFacts,
): Promise<Written> {
  const rows = rowsOf(session);
  return connection.transaction(async () => {
    await lock(connection, session);
    return write(connection, session, rows, copy);
  });
}

/** Two machines of one owner may write the same session at the same time. */
async function lock(connection: Connection, { agent, sessionId }: ArchivedSession): Promise<void> {
  await connection.rows("SELECT pg_advisory_xact_lock(hashtextextended(session_user || $1, 0))", [
    `\n${agent}\n${sessionId}`,
  ]);
}

/** Replaces the content of an existing state; if another state already has it, they are merged. */
export async function replaceState(connection: Connection, id: string, session: ArchivedSession): Promise<void> {
  const rows = rowsOf(session);
  await connection.transaction(async () => {
    await lock(connection, session);
    const [same] = await connection.rows<{ id: string }>(
      `SELECT id FROM amux.sessions
       WHERE owner = session_user AND agent = $1 AND session_id = $2 AND digest = $3 AND id <> $4`,
      [session.agent, session.sessionId, rows.digest, id],
    );
    if (same !== undefined) {
      await connection.rows("UPDATE amux.copies SET session = $1 WHERE session = $2", [same.id, id]);
      await connection.rows("DELETE FROM amux.sessions WHERE id = $1", [id]);
      return;
    }
    await updateFacts(connection, { digest: rows.digest, ...rows.facts }, id);
    await connection.rows("DELETE FROM amux.spending WHERE session = $1", [id]);
    for (const { table, rows: parts } of rows.parts) {
      await writeParts(connection, table, id, parts, await knownParts(connection, table, id));
    }
  });
}

async function write(
  connection: Connection,
  session: ArchivedSession,
  rows: SessionRows,
  copy: CopyFacts,
): Promise<Written> {
  const { agent, sessionId } = session;
  const states = await connection.rows<State>(
    `SELECT s.id, s.digest, s.team,
       coalesce(array_agg(c.machine ORDER BY c.machine) FILTER (WHERE c.machine IS NOT NULL), '{}') AS machines,
       coalesce(array_agg(c.rules ORDER BY c.machine) FILTER (WHERE c.machine IS NOT NULL), '{}') AS rules
     FROM amux.sessions s LEFT JOIN amux.copies c ON c.session = s.id
     WHERE s.owner = session_user AND s.agent = $1 AND s.session_id = $2 GROUP BY s.id`,
    [agent, sessionId],
  );
  const before = states.find(({ machines }) => machines.includes(copy.machine));
  const same = states.find(({ digest }) => digest === rows.digest);
  let id = same?.id;
  if (same === undefined) {
    // A state that another machine also holds is left alone.
    const old = before?.machines.length === 1 ? before.id : undefined;
    id = old ?? (await insertFacts(connection, session, rows));
    if (old !== undefined) await updateFacts(connection, columnsOf(session, rows), old);
    for (const { table, rows: parts } of rows.parts) {
      const known = old === undefined ? [] : await knownParts(connection, table, old);
      await writeParts(connection, table, id, parts, known);
    }
  } else {
    const { created, updated } = datesOf(session);
    // Machines may have touched the same session at different times; the order of pushes must not matter.
    await connection.rows(
      `UPDATE amux.sessions SET created_ms = least(created_ms, $2), updated_ms = greatest(updated_ms, $3)
       WHERE id = $1 AND (created_ms > $2 OR updated_ms < $3)`,
      [same.id, created, updated],
    );
  }
  const isChecked = states.filter((state) => state.id !== id).every((state) => passesOf(state, copy));
  const team = (isChecked ? copy.team : undefined) ?? states[0]?.team ?? null;
  // All states of a session are shared with the same people.
  if (team !== null || states.some((state) => state.team !== null))
    await connection.rows(
      "UPDATE amux.sessions SET team = $3, settled = NULL WHERE owner = session_user AND agent = $1 AND session_id = $2 AND team IS DISTINCT FROM $3",
      [agent, sessionId, team],
    );
  await connection.rows(
    `INSERT INTO amux.copies (machine, agent, session_id, session, signature, rules, redactions)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (owner, machine, agent, session_id) DO UPDATE SET session = excluded.session,
       signature = excluded.signature, rules = excluded.rules, redactions = excluded.redactions, pushed_at = now()`,
    [copy.machine, agent, sessionId, id, copy.signature, copy.rules, copy.redactions],
  );
  if (before !== undefined && before.id !== id) {
    await connection.rows(
      "DELETE FROM amux.sessions WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM amux.copies WHERE session = $1)",
      [before.id],
    );
  }
  if (before?.digest === rows.digest) return "same";
  return before === undefined ? "new" : "changed";
}

interface State {
  id: string;
  digest: string;
  team: string | null;
  /** Of each copy, in the same order. */
  machines: string[];
  rules: string[];
}

/** This machine's copy of it is just being replaced. */
function passesOf({ machines, rules }: State, { machine, passes }: CopyFacts): boolean {
  return machines.every((from, index) => from === machine || passes(from, rules[index]!));
}

function columnsOf(session: ArchivedSession, { digest, facts }: SessionRows): Record<string, unknown> {
  const { created, updated } = datesOf(session);
  return { digest, ...facts, created_ms: created, updated_ms: updated };
}

/** Returns the session's number. */
async function insertFacts(connection: Connection, session: ArchivedSession, rows: SessionRows): Promise<string> {
  const columns = { agent: session.agent, session_id: session.sessionId, ...columnsOf(session, rows) };
  const names = Object.keys(columns);
  const [made] = await connection.rows<{ id: string }>(
    `INSERT INTO amux.sessions (${names.join(", ")})
     VALUES (${names.map((_, index) => `$${index + 1}`).join(", ")}) RETURNING id`,
    Object.values(columns),
  );
  return made!.id;
}

async function updateFacts(connection: Connection, columns: Record<string, unknown>, id: string): Promise<void> {
  const assignments = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`);
  // Its cost must be summed again.
  await connection.rows(`UPDATE amux.sessions SET settled = NULL, ${assignments.join(", ")} WHERE id = $1`, [
    id,
    ...Object.values(columns),
  ]);
}

/** Rows per statement, however long the messages are. */
const MAX_ROWS = 2000;
const MAX_CHARACTERS = 4_000_000;

interface KnownPart {
  place: number;
  digest: string;
}

async function knownParts(connection: Connection, { name }: PartTable, session: string): Promise<KnownPart[]> {
  return connection.rows<KnownPart>(
    `SELECT place::double precision AS place, digest FROM amux.${name} WHERE session = $1`,
    [session],
  );
}

async function writeParts(
  connection: Connection,
  table: PartTable,
  session: string,
  rows: readonly PartRow[],
  known: readonly KnownPart[],
): Promise<void> {
  const digests = new Map(known.map(({ place, digest }) => [place, digest]));
  const changed = rows.filter(({ place, digest }) => digests.get(place) !== digest);
  for (const { place } of rows) digests.delete(place);
  if (digests.size > 0) {
    await connection.rows(`DELETE FROM amux.${table.name} WHERE session = $1 AND place = ANY($2::bigint[])`, [
      session,
      [...digests.keys()],
    ]);
  }
  for (const batch of batches(changed)) await insertParts(connection, table, session, batch);
}

function* batches(rows: readonly PartRow[]): Generator<PartRow[]> {
  let batch: PartRow[] = [];
  let size = 0;
  for (const row of rows) {
    const length = row.values.reduce<number>((sum, value) => sum + String(value).length, 0);
    if (batch.length >= MAX_ROWS || (batch.length > 0 && size + length > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(row);
    size += length;
  }
  if (batch.length > 0) yield batch;
}

async function insertParts(
  connection: Connection,
  { name, columns }: PartTable,
  session: string,
  batch: readonly PartRow[],
): Promise<void> {
  const names = columns.map(([column]) => column);
  const types = columns.map(([, type], index) => `$${index + 4}::${type}[]`);
  // Words are passed as space-separated text, because nested arrays must have equal lengths.
  const chosen = names.map((column) =>
    column === "words" ? "array_to_tsvector(string_to_array(g.words, ' '))" : `g.${column}`,
  );
  await connection.rows(
    `INSERT INTO amux.${name} (session, place, digest, ${names.join(", ")})
     SELECT $1, g.place, g.digest, ${chosen.join(", ")}
     FROM unnest($2::bigint[], $3::text[], ${types.join(", ")}) AS g (place, digest, ${names.join(", ")})
     ON CONFLICT (session, place) DO UPDATE SET digest = excluded.digest,
       ${names.map((column) => `${column} = excluded.${column}`).join(", ")}`,
    [
      session,
      batch.map(({ place }) => place),
      batch.map(({ digest }) => digest),
      ...columns.map((_, index) => batch.map(({ values }) => values[index])),
    ],
  );
}
