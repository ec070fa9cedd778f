/** Location of the status files. */
import { join } from "node:path";
import { directoryFrom, type PathEnv } from "../lib/fs/paths.ts";

export function statusDirectory(env: PathEnv): string {
  return directoryFrom(env, "AMUX_STATUS_DIR") ?? join(env.home, ".claude-sessions");
}
