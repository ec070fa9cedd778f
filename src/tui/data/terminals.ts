/** Connects to a session's terminals: through its own process, or through the daemon for another machine. */
import { openShimConnection } from "../../client/open-shim-connection.ts";
import { openRemoteConnection } from "../../client/remote-shim.ts";
import type { ShimConnection } from "../../client/shim-connection.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import type { TuiServices } from "../services.ts";

export function openTerminals({ client, places }: TuiServices, sessionId: string): Promise<ShimConnection> {
  return splitRemoteId(sessionId) === undefined
    ? openShimConnection(client.files(sessionId).socket)
    : openRemoteConnection(daemonFiles(places.home).socket, sessionId);
}
