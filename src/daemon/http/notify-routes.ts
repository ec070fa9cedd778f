/** Routes for notifications outside of the page. */
import * as z from "zod/mini";
import { AddChannelRequest, AddedChannel, Channel, PushKey } from "../../protocol/notify.ts";
import type { Attention } from "../live/attention.ts";
import type { Channels } from "../notify/channels.ts";
import { route, type Route } from "./route.ts";

export interface NotifyRouteParts {
  attention: Pick<Attention, "seen">;
  channels: Pick<Channels, "list" | "add" | "remove" | "test" | "publicKey">;
}

const PATH = "/v1/notify";

export function notifyRoutes({ attention, channels }: NotifyRouteParts): Route[] {
  return [
    route({
      method: "POST",
      path: "/v1/attention/seen",
      summary: "Somebody looks at the list: nothing on it is notified, and what was is withdrawn",
      answer: z.null(),
      run: () => attention.seen(),
    }),
    route({
      method: "GET",
      path: PATH,
      summary: "Channels for notifications, and how their last message went",
      answer: z.array(Channel),
      run: () => channels.list(),
    }),
    route({
      method: "POST",
      path: PATH,
      summary: "Adds a channel: a browser's push subscription, an ntfy topic or a webhook",
      body: AddChannelRequest,
      answer: AddedChannel,
      run: ({ body }) => channels.add(body),
    }),
    route({
      method: "POST",
      path: "/v1/push-key",
      summary: "The public key that browsers subscribe to; made on first use",
      answer: PushKey,
      run: () => ({ public_key: channels.publicKey() }),
    }),
    route({
      method: "POST",
      path: `${PATH}/{channel}/test`,
      summary: "Sends a test message now",
      answer: Channel,
      run: ({ params }) => channels.test(params["channel"]!),
    }),
    route({
      method: "DELETE",
      path: `${PATH}/{channel}`,
      summary: "Removes a channel",
      answer: z.null(),
      run: ({ params }) => channels.remove(params["channel"]!),
    }),
  ];
}
