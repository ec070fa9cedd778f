/** Writes to the log when another machine is connected or lost; tries in between are left out. */
import type { PeerStatus } from "../../protocol/peers.ts";
import type { Log } from "../process/log.ts";

export function linkLog(log: Pick<Log, "write">): (links: readonly PeerStatus[]) => void {
  let known = new Map<string, PeerStatus["state"]>();
  return (links) => {
    const now = new Map<string, PeerStatus["state"]>();
    for (const { name, state, error } of links) {
      const before = known.get(name);
      if (state === "connecting") {
        if (before !== undefined) now.set(name, before);
        continue;
      }
      now.set(name, state);
      if (state === before) continue;
      if (state === "connected") log.write("info", "peer connected", { peer: name });
      else log.write("warn", "peer unreachable", { peer: name, reason: error });
    }
    known = now;
  };
}
