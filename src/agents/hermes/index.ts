/** The adapter of Hermes Agent; README.md describes its files. */
import { basename, dirname } from "node:path";
import { defineAgent, type Launch, type SessionSource } from "../adapter.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { run } from "./run.ts";

/** Opens a session again in its profile. Old transcript files and notes cannot be opened. */
const launch = {
  resume(sessionId: string, source: SessionSource): string[] | undefined {
    if (!source.path.endsWith(".db") || sessionId.includes("/")) return undefined;
    const home = dirname(source.path);
    const profile = basename(dirname(home)) === "profiles" ? ["-p", basename(home)] : [];
    return ["hermes", ...profile, "--resume", sessionId];
  },
  whyNoForkAt:
    "All its sessions are in one database, which only it may write to, and its /branch copies the whole of one.",
} satisfies Launch;

export default defineAgent({
  name: "hermes",
  displayName: "Hermes Agent",
  command: "hermes",
  // Forks are made inside a chat (/branch); no command line makes one.
  capabilities: { canResume: true, canFork: false, sessionPersistence: "sqlite" },
  history,
  launch,
  run,
  hooks,
});
