/** Whether a process works on a session, as the session's own file says. Of a long answer the screen shows no sign. */
import { basename } from "node:path";
import { filesIn, foldersIn } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES } from "../../lib/fs/foreign-file.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import type { AgentEnv } from "../agent-env.ts";
import { manifestFile, workingPid } from "./format.ts";
import { sessionsDir } from "./locations.ts";

/** A turn writes the file when it begins. */
const NEWEST = 20;

export function isAtWork(env: AgentEnv, pids: readonly number[]): boolean {
  const files = foldersIn(sessionsDir(env)).flatMap((folder) =>
    filesIn(folder, (name) => name === manifestFile(basename(folder))),
  );
  const newest = files.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, NEWEST);
  return newest.some(({ path }) => {
    const pid = workingPid(objectIn(path, MAX_DOCUMENT_BYTES) ?? {});
    return pid !== undefined && pids.includes(pid);
  });
}
