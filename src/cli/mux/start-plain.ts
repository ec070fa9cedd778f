/** Starts a session from the command line, attached or not. Knows nothing about agents. */
import { existsSync, rmSync } from "node:fs";
import type { AddedWorktree } from "../../changes/worktree/add-worktree.ts";
import { startWithSetUp } from "../../changes/worktree/set-up.ts";
import type { ShimClient, SpawnRequest } from "../../client/shim-client.ts";
import { optional } from "../../lib/values/optional.ts";
import { newSessionId } from "../../protocol/session-id.ts";
import type { Output } from "../output.ts";
import { isInputPiped } from "./is-input-piped.ts";
import { shimClient } from "./session-directories.ts";
import { madeFor } from "../run/worktree-for.ts";
import { followSession, isStream } from "./follow-session.ts";

export interface StartOptions {
  /** Return at once instead of attaching. */
  detached: boolean;
  /** Pass piped standard input to the program. */
  givesInput?: boolean;
  /** Created for this session; its set-up runs first. */
  worktree?: AddedWorktree;
}

/** Returns the exit code for the shell: the program's own if we stayed until its end. */
export type Start = (request: SpawnRequest, options: StartOptions, output: Output) => Promise<number>;

export const startPlain: Start = async (asked, options, output) => {
  const { worktree } = options;
  const argv = worktree && startWithSetUp(worktree, asked.argv ?? asked.command);
  const request = { ...asked, ...optional("argv", argv) };
  const client = await shimClient();
  const isNested = process.env["AMUX_SESSION_ID"] !== undefined;
  const stays = !options.detached && !isNested && !output.json;
  const size = stays && process.stdout.isTTY ? terminalSize() : {};
  if (stays && options.givesInput === true && isInputPiped()) return startWithInput(client, request, output);
  const id = await client.spawn({ ...size, ...request }, { isFollowed: stays && isStream() });
  if (stays) return followSession(client, id, output, { whole: true });
  if (output.json) await output.writeJson({ id, socket_path: client.files(id).socket, ...madeFor(worktree) });
  else await output.write(`${id}\n`);
  if (isNested && !options.detached)
    output.note("This terminal is a session itself, so the new one runs in the background.");
  return 0;
};

async function startWithInput(client: ShimClient, request: SpawnRequest, output: Output): Promise<number> {
  const { PipedInput } = await import("./piped-input.ts");
  const { id = newSessionId() } = request;
  const { directory, meta } = client.files(id);
  const input = new PipedInput(directory);
  try {
    await client.spawn({ ...request, id, argv: input.startOf(request) }, { isFollowed: true });
    input.give();
    return await followSession(client, id, output, { whole: true });
  } finally {
    input.end();
    // It never ran; remove its directory.
    if (!existsSync(meta)) rmSync(directory, { recursive: true, force: true });
  }
}

function terminalSize(): { cols: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { cols: Math.min(Math.max(columns || 80, 2), 1000), rows: Math.min(Math.max(rows || 24, 1), 500) };
}
