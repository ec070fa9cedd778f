import { existsSync, rmSync } from "node:fs";
import type { KnownSession } from "../../client/session-list.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { countsOf } from "../../status/queue/changes.ts";
import { storedQueue } from "../../status/queue/stored-queue.ts";
import { usageError, type Command } from "../command.ts";
import { chooseSessions, endedSessions, SESSION_ARGUMENTS } from "../mux/choose.ts";
import { shimClient } from "../mux/session-directories.ts";
import { actOnRemote, isRemoteRef } from "../mux/remote.ts";

const command: Command = {
  name: "dismiss",
  description:
    "Ends each running session and deletes amux's record of it. The agent's own conversation is kept. A session whose queue has prompts is refused, or kept by --ended: they would be lost.",
  arguments: [{ ...SESSION_ARGUMENTS, optional: true, completes: "ended" }],
  options: [
    { name: "ended", description: "dismiss all ended sessions of this machine" },
    { name: "force", description: "also those whose queue has prompts" },
  ],
  examples: [
    ["amux dismiss sess-4k2m", "remove it from the list"],
    ["amux dismiss --ended", "remove all ended sessions without queued prompts"],
  ],
  async run(invocation) {
    const { arguments: refs, output } = invocation;
    const isAllEnded = invocation.flag("ended");
    if (isAllEnded === refs.length > 0) throw usageError("Name sessions, or use --ended, one of the two.");
    const client = await shimClient();
    const found = isAllEnded ? endedSessions() : chooseSessions(refs.filter((ref) => !isRemoteRef(ref)));
    const promptsOf = ({ meta: { id } }: KnownSession): number =>
      invocation.flag("force") ? 0 : promptsIn(countsOf(storedQueue(client.files(id))));
    const sessions = isAllEnded ? found.filter((session) => promptsOf(session) === 0) : found;
    for (const session of sessions) refuseFor(session.meta.id, promptsOf(session));
    const elsewhere = await actOnRemote(refs.filter(isRemoteRef), "dismiss", (session) => {
      if (!invocation.flag("force")) refuseFor(session.id, promptsIn(session));
    });
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
    if (!isAllEnded) return;
    output.note(found.length === 0 ? "No ended sessions." : `Dismissed ${sessions.length}.`);
    const kept = found.filter((session) => !sessions.includes(session)).map(({ meta }) => meta.id);
    if (kept.length > 0)
      output.note(`Kept ${kept.join(", ")}: prompts are queued. See amux queue list, or use --force.`);
  },
};

function promptsIn({ queued = 0, queue_held = 0 }: Pick<MuxSession, "queued" | "queue_held">): number {
  return queued + queue_held;
}

function refuseFor(id: string, prompts: number): void {
  if (prompts === 0) return;
  const many = prompts === 1 ? "1 prompt" : `${prompts} prompts`;
  throw new AgentMuxError(
    "INVALID_STATE_TRANSITION",
    `The queue of ${id} has ${many}, which would be lost. See amux queue list ${id}, or use --force.`,
  );
}

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
