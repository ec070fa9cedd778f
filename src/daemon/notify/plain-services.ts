/** Messages for ntfy and for a webhook. These services can read them. */
import { createHmac } from "node:crypto";
import type { StoredChannel } from "./channel-file.ts";
import type { Message } from "./message.ts";
import type { OutgoingRequest, Reach } from "./send-request.ts";

const JSON_TYPE = { "content-type": "application/json" };
const URGENT = 4;
const USUAL = 3;

/** Without encryption only a private network will do. */
export function reachOf(url: string): Reach {
  return new URL(url).protocol === "https:" ? "any" : "private";
}

/** `page` is the page's address, if it is known from outside. */
export function ntfyRequest(
  { url, token, text }: Extract<StoredChannel, { kind: "ntfy" }>,
  { event, tag, title, body, path, isUrgent }: Message,
  page: string | undefined,
): OutgoingRequest {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split("/").filter((part) => part !== "");
  const topic = parts.pop() ?? "";
  const server = [origin, ...parts, ""].join("/");
  const headers = { ...JSON_TYPE, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const reach = reachOf(url);
  // Servers before 2.16 show no withdrawal.
  if (event === "withdraw") return { url: `${server}${topic}/${tag}`, method: "DELETE", headers, reach };
  const content = {
    topic,
    title,
    message: (text && body) || title,
    priority: isUrgent ? URGENT : USUAL,
    sequence_id: tag,
    ...(page === undefined ? {} : { click: `${page}${path}` }),
  };
  return { url: server, method: "POST", headers, body: JSON.stringify(content), reach };
}

/** Signed as in "Standard Webhooks", for which receivers have libraries. */
export function webhookRequest(
  { url, secret, text }: Extract<StoredChannel, { kind: "webhook" }>,
  { event, tag, title, body: question, items }: Message,
): OutgoingRequest {
  const body = JSON.stringify({ event, id: tag, title, ...(text ? { body: question } : {}), items });
  const [id, time] = [`${tag}-${event}`, String(Math.floor(Date.now() / 1000))];
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  const headers = {
    ...JSON_TYPE,
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": `v1,${signature}`,
  };
  return { url, method: "POST", headers, body, reach: reachOf(url) };
}
