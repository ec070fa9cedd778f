import { existsSync, rmSync } from "node:fs";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import { usageError, type Command } from "../command.ts";
import { chooseSessions, endedSessions, SESSION_ARGUMENTS } from "../mux/choose.ts";
import { shimClient } from "../mux/session-directories.ts";
import { actOnRemote, isRemoteRef } from "../mux/remote.ts";

const command: Command = {
  name: "dismiss",
  description: "Ends each running session and deletes amux's record of it. The agent's own conversation is kept.",
  arguments: [{ ...SESSION_ARGUMENTS, optional: true, completes: "ended" }],
  options: [{ name: "ended", description: "dismiss all ended sessions of this machine" }],
  examples: [
    ["amux dismiss sess-4k2m", "remove it from the list"],
    ["amux dismiss --ended", "remove all ended sessions"],
  ],
  async run(invocation) {
    const { arguments: refs, output } = invocation;
    const isAllEnded = invocation.flag("ended");
    if (isAllEnded === refs.length > 0) throw usageError("Name sessions, or use --ended, one of the two.");
    const sessions = isAllEnded ? endedSessions() : chooseSessions(refs.filter((ref) => !isRemoteRef(ref)));
    const elsewhere = await actOnRemote(refs.filter(isRemoteRef), "dismiss");
    const client = await shimClient();
    await Promise.all(
      sessions.map(async ({ meta }) => {
        await client.kill(meta.id);
        await client.ended(meta.id);
        rmSync(client.files(meta.id).directory, { recursive: true, force: true });
        await tellDaemon(meta.id);
      }),
    );
    // Without a daemon nothing else removes the files of killed runners.
    await client.removeOrphans();
    if (output.json) return output.writeJson([...sessions.map(({ meta }) => ({ id: meta.id })), ...elsewhere]);
    if (isAllEnded) output.note(sessions.length === 0 ? "No ended sessions." : `Dismissed ${sessions.length}.`);
  },
};

const TELL_WITHIN_MS = 2000;

/** The daemon would notice a few seconds later; until then the page would show a dead row. */
async function tellDaemon(id: string): Promise<void> {
  const home = amuxHome(processEnv());
  if (!existsSync(daemonFiles(home).socket)) return;
  const { DaemonClient } = await import("../../client/daemon-client.ts");
  const request = { method: "POST", path: `/v1/sessions/${id}/dismiss`, timeoutMs: TELL_WITHIN_MS } as const;
  await new DaemonClient(home).ask(request).catch(() => undefined);
}

export default command;
