/** Members and teams of an archive. Only the owner of its tables can change them. */
import { AgentMuxError } from "../core/errors.ts";
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";
import { grantsTo, revokesFrom } from "./store/schema.ts";

export interface Member {
  member: string;
  team: string;
}

const TEAM_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/i;

/** All members for the archive's owner; for others, their own teams. */
export async function listMembers(connection: Connection): Promise<Member[]> {
  await requireSchema(connection);
  return connection.rows<Member>("SELECT member, team FROM amux.members ORDER BY team, member");
}

/** Lets a login role push and read, and adds it to a team. */
export async function addMember(connection: Connection, { member, team }: Member): Promise<void> {
  await requireSchema(connection);
  checkTeam(team);
  const [role] = await connection.rows("SELECT 1 FROM pg_roles WHERE rolname = $1 AND rolcanlogin", [member]);
  if (role === undefined) {
    throw new AgentMuxError(
      "VALIDATION_ERROR",
      `The database has no role "${member}" that can log in; make it first: CREATE ROLE … LOGIN.`,
    );
  }
  await connection.transaction(async () => {
    await connection.script(grantsTo(connection.quoted(member)));
    await connection.rows("INSERT INTO amux.members (member, team) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
      member,
      team,
    ]);
  });
}

/** Removes from one team, or from the archive. Their sessions stay, but are no longer shared by them. */
export async function removeMember(connection: Connection, member: string, team?: string): Promise<void> {
  await requireSchema(connection);
  await connection.transaction(async () => {
    const removed = await connection.rows(
      "DELETE FROM amux.members WHERE member = $1 AND ($2::text IS NULL OR team = $2) RETURNING team",
      [member, team ?? null],
    );
    if (removed.length === 0) {
      throw new AgentMuxError(
        "VALIDATION_ERROR",
        `"${member}" is not a member${team === undefined ? "" : ` of ${team}`}.`,
      );
    }
    const [left] = await connection.rows("SELECT 1 FROM amux.members WHERE member = $1", [member]);
    if (left === undefined) await connection.script(revokesFrom(connection.quoted(member)));
  });
}

export function checkTeam(team: string): string {
  if (TEAM_NAME.test(team)) return team;
  throw new AgentMuxError("VALIDATION_ERROR", `A team's name is up to 63 letters, digits, ".", "_" and "-".`);
}
