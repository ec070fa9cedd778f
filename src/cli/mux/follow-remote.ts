/** Follows a remote session until it ends or is left. */
import { setTimeout as sleep } from "node:timers/promises";
import { AgentMuxError } from "../../core/errors.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { attachTerminal } from "../attach/attach.ts";
import { copyOutput } from "../attach/watch-output.ts";
import type { Output } from "../output.ts";
import { isStream, type FollowOptions } from "./follow-session.ts";
import { askDaemon, connectRemote } from "./remote.ts";

/** Its machine reports the end a moment later. */
const KNOWN_WITHIN_MS = 3000;
const LOOK_EVERY_MS = 50;

/** As a terminal if there is one, otherwise as a stream. */
export async function followRemote(
  id: string,
  output: Output,
  { readOnly = false, whole = false }: FollowOptions = {},
): Promise<number> {
  if (isStream()) return (await copyOutput(() => connectRemote(id), { since: 0, whole })) ?? exitOfRemote(id);
  const end = await attachTerminal(() => connectRemote(id), { readOnly });
  if (end.how === "detached") {
    output.note(`[detached from ${id}; amux attach ${id} attaches again]`);
    return 0;
  }
  if (end.how === "exited") {
    output.note(`[${id} exited (${end.exitCode})]`);
    return end.exitCode;
  }
  if (end.reason === "killed") output.note(`[${id} was killed]`);
  return exitOfRemote(id);
}

/** For a session whose end this process did not see. */
export async function exitOfRemote(id: string): Promise<number> {
  for (const deadline = performance.now() + KNOWN_WITHIN_MS; ; await sleep(LOOK_EVERY_MS)) {
    const row = await askDaemon<MuxSession>("GET", `/v1/sessions/${id}`);
    if (!row.alive && row.exit_code !== undefined) return row.exit_code;
    if (row.unreachable === true || performance.now() > deadline) break;
  }
  throw new AgentMuxError(
    "AGENT_CRASH",
    "The connection to the session was lost. amux peers status shows whether its machine can be reached.",
  );
}
