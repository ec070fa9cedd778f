/** What the archive holds, and what is missing from this machine. */
import type { Catalog } from "../history/catalog.ts";
import { localSessions } from "./local-sessions.ts";
import { knownCopies } from "./push.ts";
import { keptFrom } from "./retention.ts";
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";

export interface ArchiveStatus {
  archive: string;
  schema: number;
  user: string;
  /** Row-level security does not apply to this user: all sessions are visible. */
  seesEverything: boolean;
  machine: string;
  /** This machine's sessions: in the archive, changed since, never sent, too old. */
  here: { current: number; changed: number; missing: number; tooOld: number };
  owners: OwnerStatus[];
  machines: MachineStatus[];
}

export interface OwnerStatus {
  owner: string;
  sessions: number;
  messages: number;
  /** Number shared with a team. */
  shared: number;
}

/** One of the caller's machines. */
export interface MachineStatus {
  machine: string;
  sessions: number;
  redactions: number;
  pushedAt: Date;
}

export async function archiveStatus(
  connection: Connection,
  catalogs: readonly Catalog[],
  { machine, rules }: { machine: string; rules: string },
): Promise<ArchiveStatus> {
  await requireSchema(connection);
  const [who] = await connection.rows<{ user: string; all: boolean; schema: number }>(
    `SELECT session_user::text AS user, rolsuper OR rolbypassrls AS all,
       (SELECT max(version) FROM amux.schema_version) AS schema
     FROM pg_roles WHERE rolname = session_user`,
  );
  const owners = await connection.rows<OwnerStatus>(
    `SELECT owner::text, count(*)::integer AS sessions, sum(message_count)::integer AS messages,
       count(team)::integer AS shared
     FROM amux.sessions GROUP BY owner ORDER BY owner`,
  );
  const machines = await connection.rows<MachineStatus>(
    `SELECT machine, count(*)::integer AS sessions, sum(redactions)::integer AS redactions, max(pushed_at) AS "pushedAt"
     FROM amux.copies WHERE owner = session_user GROUP BY machine ORDER BY machine`,
  );
  return {
    archive: connection.name,
    schema: who!.schema,
    user: who!.user,
    seesEverything: who!.all,
    machine,
    here: await compare(connection, catalogs, machine, rules),
    owners,
    machines,
  };
}

async function compare(
  connection: Connection,
  catalogs: readonly Catalog[],
  machine: string,
  rules: string,
): Promise<ArchiveStatus["here"]> {
  const current = await knownCopies(connection, machine, rules);
  const sent = await connection.rows<{ id: string }>(
    "SELECT agent || ':' || session_id AS id FROM amux.copies WHERE owner = session_user AND machine = $1",
    [machine],
  );
  const ever = new Set(sent.map(({ id }) => id));
  const here = { current: 0, changed: 0, missing: 0, tooOld: 0 };
  const oldest = await keptFrom(connection);
  for (const catalog of catalogs) {
    for (const { unifiedId, signature, updatedMs } of await localSessions(catalog)) {
      if (updatedMs < oldest) here.tooOld++;
      else if (current.get(unifiedId) === signature) here.current++;
      else if (ever.has(unifiedId)) here.changed++;
      else here.missing++;
    }
  }
  return here;
}
