/** Routes for links that show one redacted session to whoever has them. */
import * as z from "zod/mini";
import { CreatedShareLink, ShareLink, ShareLinkRequest } from "../../protocol/share-links.ts";
import type { ShareLinks } from "../share/share-links.ts";
import { referenceOf } from "./answers.ts";
import { route, type Route } from "./route.ts";

export function shareRoutes({ shares }: { shares: Pick<ShareLinks, "list" | "create" | "revoke"> }): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/share-links",
      summary: "Open links to redacted sessions, without their secrets",
      answer: z.array(ShareLink),
      run: () => shares.list(),
    }),
    route({
      method: "POST",
      path: "/v1/share-links",
      summary: "Makes a link to a redacted snapshot of a session; its secret is answered once",
      body: ShareLinkRequest,
      answer: CreatedShareLink,
      run: ({ body, signal }) => shares.create(referenceOf(body.session), body, signal),
    }),
    route({
      method: "DELETE",
      path: "/v1/share-links/{link}",
      summary: "Revokes a link and deletes its snapshot",
      answer: z.null(),
      run: ({ params }) => shares.revoke(params["link"]!),
    }),
  ];
}
