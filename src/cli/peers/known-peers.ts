/** The linked machines with their states from the daemon, or only their names without one. Starts no daemon. */
import { DaemonApi } from "../../client/daemon-api.ts";
import { DaemonMissing } from "../../client/daemon-client.ts";
import type { PeerStatus } from "../../protocol/peers.ts";
import { daemonClient } from "../daemon-process.ts";
import type { Output } from "../output.ts";
import { namedPeers } from "./peer-names.ts";

/** Fields that need a daemon are absent without one. */
export type KnownPeer = Pick<PeerStatus, "name" | "url"> &
  Partial<Omit<PeerStatus, "state">> & { state: PeerStatus["state"] | "unknown" };

export async function knownPeers(output: Output): Promise<KnownPeer[]> {
  try {
    return await new DaemonApi(daemonClient()).peers();
  } catch (error) {
    if (!(error instanceof DaemonMissing)) throw error;
    const named = namedPeers();
    if (named.length > 0)
      output.note("The daemon is not running, so nothing is linked now. amux daemon start links them again.");
    return named.map((peer) => ({ ...peer, state: "unknown" }));
  }
}
