import type { PeerStatus } from "../../../src/protocol/peers.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { TestDaemon } from "./test-daemon.ts";

export async function link(hub: TestDaemon, name: string, spoke: TestDaemon, port = spoke.port): Promise<void> {
  await hub.data("POST", "/v1/peers", { name, url: `http://127.0.0.1:${port}`, token: spoke.token });
  await untilPeer(hub, name, ({ state }) => state === "connected");
}

export function untilPeer(hub: TestDaemon, name: string, test: (status: PeerStatus) => boolean): Promise<PeerStatus> {
  return waitFor(`peer ${name}`, async () => {
    const status = (await hub.data<PeerStatus[]>("GET", "/v1/peers")).find((peer) => peer.name === name);
    return status !== undefined && test(status) ? status : undefined;
  });
}
