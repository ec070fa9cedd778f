/** Follows a session until it ends or is left. */
import { attachTerminal } from "../attach/attach.ts";
import { copyOutput } from "../attach/watch-output.ts";
import { openShimConnection } from "../../client/open-shim-connection.ts";
import type { ShimClient } from "../../client/shim-client.ts";
import type { ShimConnection } from "../../client/shim-connection.ts";
import type { Output } from "../output.ts";
import { storedExit } from "./exit-code.ts";

export interface FollowOptions {
  readOnly?: boolean;
  /** As a stream: the program waits for a slow reader, as in a pipeline without amux. */
  whole?: boolean;
}

/** As a terminal if there is one, otherwise as a stream. */
export async function followSession(
  client: ShimClient,
  id: string,
  output: Output,
  { readOnly = false, whole = false }: FollowOptions = {},
): Promise<number> {
  const { socket, meta } = client.files(id);
  const open = (): Promise<ShimConnection> => openShimConnection(socket);
  if (isStream()) return (await copyOutput(open, { since: 0, whole })) ?? storedExit(meta);
  const end = await attachTerminal(open, { readOnly });
  switch (end.how) {
    case "detached":
      output.note(`[detached from ${id}; amux attach ${id} attaches again]`);
      return 0;
    case "exited":
      output.note(`[${id} exited (${end.exitCode})]`);
      return end.exitCode;
    case "closed":
      if (end.reason === "killed") output.note(`[${id} was killed]`);
      return storedExit(meta);
  }
}

/** The output goes to a pipe or a file, or there is nobody to type. */
export function isStream(): boolean {
  return !process.stdin.isTTY || !process.stdout.isTTY;
}
