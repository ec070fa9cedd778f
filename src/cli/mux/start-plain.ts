/** Starting a session from the command line as it is asked for, and staying with it or not. Knows nothing of agents. */
import type { SpawnRequest } from "../../client/shim-client.ts";
import type { Output } from "../output.ts";
import { shimClient } from "./places.ts";
import { stayWith } from "./stay.ts";

export interface StartOptions {
  /** Come back at once instead of attaching. */
  detached: boolean;
}

/** Answers the exit code for the shell: the program's own when we stayed until its end. */
export type Start = (request: SpawnRequest, options: StartOptions, output: Output) => Promise<number>;

export const startPlain: Start = async (request, options, output) => {
  const client = await shimClient();
  const isNested = process.env["AMUX_SESSION_ID"] !== undefined;
  const stays = !options.detached && !isNested && !output.json;
  const size = stays && process.stdout.isTTY ? terminalSize() : {};
  const id = await client.spawn({ ...size, ...request });
  if (stays) return stayWith(client, id, output);
  if (output.json) await output.writeJson({ id, socket_path: client.files(id).socket });
  else await output.write(`${id}\n`);
  if (isNested && !options.detached)
    output.note("This terminal is a session itself, so the new one runs in the background.");
  return 0;
};

function terminalSize(): { cols: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { cols: Math.min(Math.max(columns || 80, 2), 1000), rows: Math.min(Math.max(rows || 24, 1), 500) };
}
