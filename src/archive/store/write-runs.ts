/** Runs, and counts of what a machine could not read: small, and sent whole. */
import type { Run } from "../../history/run-index.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Connection } from "./connection.ts";

/** Sends all runs that can be redacted. Returns the number withheld. */
export async function writeRuns(connection: Connection, runs: readonly Run[], redactor: Redactor): Promise<number> {
  const clean: Run[] = [];
  for (const run of runs) {
    try {
      const { runId, sessionId, ...rest } = run;
      redactor.require(`${runId} ${sessionId ?? ""}`, "run");
      clean.push({
        ...(redactor.value(rest, "run", []) as Run),
        runId,
        ...(sessionId === undefined ? {} : { sessionId }),
      });
    } catch {
      // The caller counts and reports it.
    }
  }
  await connection.rows(
    `INSERT INTO amux.runs (run_id, agent, session_id, at_ms, tags, run)
     SELECT g.run_id, g.agent, g.session_id, g.at_ms, ARRAY(SELECT json_array_elements_text(g.tags)), g.run
     FROM unnest($1::text[], $2::text[], $3::text[], $4::double precision[], $5::json[], $6::json[])
       AS g (run_id, agent, session_id, at_ms, tags, run)
     ON CONFLICT (owner, run_id) DO UPDATE SET agent = excluded.agent, session_id = excluded.session_id,
       at_ms = excluded.at_ms, tags = excluded.tags, run = excluded.run
     WHERE runs.run::text <> excluded.run::text`,
    [
      clean.map(({ runId }) => runId),
      clean.map(({ agent }) => agent),
      clean.map(({ sessionId }) => sessionId ?? null),
      clean.map(({ at }) => at ?? null),
      clean.map(({ tags }) => JSON.stringify(tags)),
      clean.map((run) => JSON.stringify(run)),
    ],
  );
  return runs.length - clean.length;
}

export async function writeUnread(
  connection: Connection,
  machine: string,
  files: ReadonlyMap<string, number>,
): Promise<void> {
  await connection.rows(
    `INSERT INTO amux.unread (machine, agent, files) SELECT $1, g.agent, g.files
     FROM unnest($2::text[], $3::integer[]) AS g (agent, files)
     ON CONFLICT (owner, machine, agent) DO UPDATE SET files = excluded.files`,
    [machine, [...files.keys()], [...files.values()]],
  );
}
