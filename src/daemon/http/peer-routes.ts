/** Routes for linked machines. */
import * as z from "zod/mini";
import { AddPeerRequest, PeerStatus } from "../../protocol/peers.ts";
import type { Peers } from "../peers/peers.ts";
import { route, type Route } from "./route.ts";

export function peerRoutes(peers: Pick<Peers, "list" | "add" | "remove" | "retry">): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/peers",
      summary: "The other machines this one is linked to",
      answer: z.array(PeerStatus),
      run: () => peers.list(),
    }),
    route({
      method: "POST",
      path: "/v1/peers",
      summary: "Links another machine, or changes its address",
      body: AddPeerRequest,
      answer: PeerStatus,
      run: ({ body }) => peers.add(body),
    }),
    route({
      method: "POST",
      path: "/v1/peers/{peer}/retry",
      summary: "Tries to reach another machine at once",
      answer: PeerStatus,
      run: ({ params }) => peers.retry(params["peer"]!),
    }),
    route({
      method: "DELETE",
      path: "/v1/peers/{peer}",
      summary: "Ends the link to another machine; its sessions keep running",
      answer: z.null(),
      run: ({ params }) => peers.remove(params["peer"]!),
    }),
  ];
}
