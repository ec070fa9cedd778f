/**
 * Removes status files of ended sessions. Ended means proven: the server answers and does not know the session. A silent server
 * or a missing tmux proves nothing.
 */
import { tmuxSocketOf } from "./stored-evidence.ts";
import { asText } from "../lib/json/fields.ts";
import { AMUX_SESSION, type StatusFile } from "./status-file.ts";
import type { StatusStore } from "./status-store.ts";
import { tmuxSessions } from "./tmux.ts";

/** A session may be newer than the server's answer. */
const YOUNG_SECONDS = 60;

export interface Pruned {
  name: string;
  /** The proof. */
  evidence: string;
}

/**
 * Removes them, or only lists them with `dryRun`. `sockets` are servers that may hold sessions of unknown origin; `endOf` proves
 * the end of an amux session.
 */
export async function pruneStatusFiles(
  store: StatusStore,
  sockets: readonly string[],
  dryRun: boolean,
  now = Date.now(),
  endOf: (session: string) => string | undefined = () => undefined,
): Promise<Pruned[]> {
  const files = store.list();
  const asked = new Set([...sockets, ...files.flatMap(({ file }) => tmuxSocketOf(file) ?? [])]);
  const answers = new Map(
    await Promise.all([...asked].map(async (socket) => [socket, await tmuxSessions(socket)] as const)),
  );
  const isYoung = ({ timestamp }: StatusFile): boolean => now / 1000 - timestamp < YOUNG_SECONDS;
  const pruned: Pruned[] = [];
  for (const { name, file } of files) {
    const evidence = isYoung(file) ? undefined : proof(file, sockets, answers, endOf);
    if (evidence === undefined) continue;
    if (dryRun || store.remove(name, (latest) => latest.timestamp === file.timestamp)) pruned.push({ name, evidence });
  }
  return pruned;
}

function proof(
  file: StatusFile,
  sockets: readonly string[],
  answers: ReadonlyMap<string, Set<string> | undefined>,
  endOf: (session: string) => string | undefined,
): string | undefined {
  const session = asText(file[AMUX_SESSION]);
  if (session !== undefined) return endOf(session);
  const own = tmuxSocketOf(file);
  const relevant = own === undefined ? sockets : [own];
  if (relevant.length === 0) return undefined;
  for (const socket of relevant) {
    const sessions = answers.get(socket);
    if (sessions === undefined || sessions.has(file.tmux_session)) return undefined;
  }
  return `tmux at ${relevant.join(", ")} has no session ${JSON.stringify(file.tmux_session)}`;
}
