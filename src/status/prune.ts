/**
 * Status files whose session is gone. Gone means proven: the server that held it answers and does not know it. A server
 * that does not answer, a tmux that is not installed, another machine's home directory prove nothing.
 */
import { tmuxSocketOf } from "./kept-evidence.ts";
import { asText } from "../lib/json/fields.ts";
import { AMUX_SESSION, type StatusFile } from "./status-file.ts";
import type { StatusStore } from "./status-store.ts";
import { tmuxSessions } from "./tmux.ts";

/** A session may have been made after its server was asked. */
const YOUNG_SECONDS = 60;

export interface Pruned {
  name: string;
  /** What proves it. */
  evidence: string;
}

/**
 * Removes them, or with `dryRun` only tells. `sockets` are those of servers that may hold sessions of unknown origin;
 * `endOf` knows what proves that a session of amux has ended.
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
