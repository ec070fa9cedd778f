/** Follows a session until it ends or is left. */
import { attachTerminal } from "../attach/attach.ts";
import { copyOutput } from "../attach/watch-output.ts";
import { openShimConnection } from "../../client/open-shim-connection.ts";
import type { ShimClient } from "../../client/shim-client.ts";
import type { Output } from "../output.ts";
import { storedExit } from "./exit-code.ts";

/** As a terminal if there is one, otherwise as a stream. */
export async function followSession(client: ShimClient, id: string, output: Output, readOnly = false): Promise<number> {
  const { socket, meta } = client.files(id);
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    return (await copyOutput(() => openShimConnection(socket), { since: 0 })) ?? storedExit(meta);
  }
  const end = await attachTerminal(() => openShimConnection(socket), { readOnly });
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
