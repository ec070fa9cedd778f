/**
 * Status files whose session is gone. Gone means proven: the server that held it answers and does not know it. A server
 * that does not answer, a tmux that is not installed, another machine's home directory prove nothing.
 */
import { tmuxSocketOf } from "./kept-evidence.ts";
import type { StatusFile } from "./status-file.ts";
import type { StatusStore } from "./status-store.ts";
import { tmuxSessions } from "./tmux.ts";

/** A session may have been made after its server was asked. */
const YOUNG_SECONDS = 60;

export interface Pruned {
  name: string;
  /** What proves it. */
  evidence: string;
}

/** Removes them, or with `dryRun` only tells. `sockets` are those of servers that may hold sessions of unknown origin. */
export async function pruneStatusFiles(
  store: StatusStore,
  sockets: readonly string[],
  dryRun: boolean,
  now = Date.now(),
): Promise<Pruned[]> {
  const files = store.list();
  const asked = new Set([...sockets, ...files.flatMap(({ file }) => tmuxSocketOf(file) ?? [])]);
  const answers = new Map(
    await Promise.all([...asked].map(async (socket) => [socket, await tmuxSessions(socket)] as const)),
  );
  const isYoung = ({ timestamp }: StatusFile): boolean => now / 1000 - timestamp < YOUNG_SECONDS;
  const pruned: Pruned[] = [];
  for (const { name, file } of files) {
    const evidence = isYoung(file) ? undefined : proof(file, sockets, answers);
    if (evidence === undefined) continue;
    if (dryRun || store.remove(name, (latest) => latest.timestamp === file.timestamp)) pruned.push({ name, evidence });
  }
  return pruned;
}

function proof(
  file: StatusFile,
  sockets: readonly string[],
  answers: ReadonlyMap<string, Set<string> | undefined>,
): string | undefined {
  // Files of sessions outside of tmux are kept by whoever keeps these sessions.
  if (file["amux_session"] !== undefined) return undefined;
  const own = tmuxSocketOf(file);
  const relevant = own === undefined ? sockets : [own];
  if (relevant.length === 0) return undefined;
  for (const socket of relevant) {
    const sessions = answers.get(socket);
    if (sessions === undefined || sessions.has(file.tmux_session)) return undefined;
  }
  return `tmux at ${relevant.join(", ")} has no session ${JSON.stringify(file.tmux_session)}`;
}
