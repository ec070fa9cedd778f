/** Starts a session from the command line; an agent gets hooks for this start. */
import { LaunchHooks } from "../../agents/launch-hooks.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import type { SpawnRequest } from "../../client/shim-client.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { newSessionId } from "../../protocol/session-id.ts";
import { sessionDirectories, shimClient } from "./session-directories.ts";
import { startPlain, type Start } from "./start-plain.ts";

export const startSession: Start = async (request, options, output) =>
  startPlain(await withHooks(request), options, output);

/** In the background, whatever this terminal is; returns its id. */
export async function startDetached(request: SpawnRequest): Promise<string> {
  return (await shimClient()).spawn(await withHooks(request));
}

/** Files of an earlier start are created again. */
async function withHooks(request: SpawnRequest): Promise<SpawnRequest> {
  const { argv: _, ...plain } = request;
  const { id = newSessionId() } = request;
  const hooks = new LaunchHooks(new AgentRegistry());
  const { directory } = sessionFiles(sessionDirectories(), id);
  return { ...plain, id, ...(await hooks.prepare(plain, processEnv(), directory)) };
}
