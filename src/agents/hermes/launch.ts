/** Opens a session again in its profile. Old transcript files and notes cannot be opened. */
import { basename, dirname } from "node:path";
import type { Launch, SessionSource } from "../adapter.ts";

export const launch = {
  resume(sessionId: string, source: SessionSource): string[] | undefined {
    if (!source.path.endsWith(".db") || sessionId.includes("/")) return undefined;
    const home = dirname(source.path);
    const profile = basename(dirname(home)) === "profiles" ? ["-p", basename(home)] : [];
    return ["hermes", ...profile, "--resume", sessionId];
  },
  whyNoForkAt:
    "All its sessions are in one database, which only it may write to, and its /branch copies the whole of one.",
} satisfies Launch;
