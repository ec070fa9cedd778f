/**
 * Sessions indexed as empty because their files are unusable. They are not read again while unchanged, but every search reports
 * them.
 */
import { accessSync, constants } from "node:fs";
import type { SessionSource } from "../../agents/adapter.ts";
import type { SkippedFile } from "../../agents/read-notes.ts";
import type { IndexDatabase } from "../cache/database.ts";

interface Problem extends SkippedFile {
  sessionId: string;
}

export function problemsOf(database: IndexDatabase, agent: string): Problem[] {
  const rows = database.all("SELECT path, reason, session FROM search_problem WHERE agent = ?", agent);
  return rows.map(({ path, reason, session }) => ({
    path: String(path),
    reason: String(reason),
    sessionId: String(session),
  }));
}

/** Undefined if there is none any more. */
export function keepProblem(
  database: IndexDatabase,
  agent: string,
  sessionId: string,
  problem: SkippedFile | undefined,
): void {
  if (problem === undefined) {
    database.run("DELETE FROM search_problem WHERE agent = ? AND session = ?", agent, sessionId);
    return;
  }
  database.run(
    "INSERT OR REPLACE INTO search_problem (agent, session, path, reason) VALUES (?, ?, ?, ?)",
    agent,
    sessionId,
    problem.path,
    problem.reason,
  );
}

/** Whether all its files can be opened. The reader of a file that cannot be opened reports why. */
export function mayBeRead({ files }: SessionSource): boolean {
  try {
    for (const { path } of files) accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false; // Gone or not accessible.
  }
}
