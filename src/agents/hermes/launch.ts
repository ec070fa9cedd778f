/** How a session is opened again: in the profile it belongs to. Old transcripts in files cannot be, nor can notes. */
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
