/** Starting a session from the command line, and staying with it or not. */
import { attachTerminal } from "../attach/attach.ts";
import { copyOutput } from "../attach/watch-output.ts";
import type { ShimClient, SpawnRequest } from "../../client/shim-client.ts";
import { LaunchHooks } from "../../agents/launch-hooks.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { processEnv } from "../../lib/paths.ts";
import { newSessionId } from "../../protocol/session-id.ts";
import type { Output } from "../output.ts";
import { storedExit } from "./exit-code.ts";
import { shimClient } from "./places.ts";

export interface StartOptions {
  /** Come back at once instead of attaching. */
  detached: boolean;
}

/** Answers the exit code for the shell: the program's own when we stayed until its end. */
export async function startSession(request: SpawnRequest, options: StartOptions, output: Output): Promise<number> {
  const client = await shimClient();
  const isNested = process.env["AMUX_SESSION_ID"] !== undefined;
  const stays = !options.detached && !isNested && !output.json;
  const size = stays && process.stdout.isTTY ? terminalSize() : {};
  const id = await client.spawn({ ...size, ...(await withHooks(request, client)) });
  if (stays) return stayWith(client, id, output);
  if (output.json) await output.writeJson({ id, socket_path: client.files(id).socket });
  else await output.write(`${id}\n`);
  if (isNested && !options.detached)
    output.note("This terminal is a session itself, so the new one runs in the background.");
  return 0;
}

/** An agent gets hooks for this start; what an earlier start of the session had is made anew. */
async function withHooks(request: SpawnRequest, client: ShimClient): Promise<SpawnRequest> {
  const { argv: _, ...plain } = request;
  const { id = newSessionId() } = request;
  const hooks = new LaunchHooks(new AgentRegistry());
  return { ...plain, id, ...(await hooks.prepare(plain, processEnv(), client.files(id).directory)) };
}

/** On a terminal as a terminal, else as a stream. */
export async function stayWith(client: ShimClient, id: string, output: Output, readOnly = false): Promise<number> {
  const { socket, meta } = client.files(id);
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    return (await copyOutput(socket, { since: 0 })) ?? storedExit(meta);
  }
  const end = await attachTerminal(socket, { readOnly });
  switch (end.how) {
    case "detached":
      output.note(`[detached from ${id}; amux attach ${id} comes back]`);
      return 0;
    case "exited":
      output.note(`[${id} exited with ${end.exitCode}]`);
      return end.exitCode;
    case "closed":
      if (end.reason === "killed") output.note(`[${id} was killed]`);
      return storedExit(meta);
  }
}

function terminalSize(): { cols: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { cols: Math.min(Math.max(columns || 80, 2), 1000), rows: Math.min(Math.max(rows || 24, 1), 500) };
}
