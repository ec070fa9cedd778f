/** The user's notification channels. None exists until it is asked for. */
import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { PathEnv } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AddChannelRequest, AddedChannel, Channel } from "../../protocol/notify.ts";
import type { NoticeAction } from "../../status/notices.ts";
import { Problem } from "../problem.ts";
import type { ChannelFile, StoredChannel } from "./channel-file.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { messageOf, testMessage, withoutSecrets, type Message } from "./message.ts";
import { ntfyRequest, reachOf, webhookRequest } from "./plain-services.ts";
import { mayReach, outOfReach, sendRequest, type OutgoingRequest, type Reach } from "./send-request.ts";
import { isBrowserKey, newSigningKey, publicKeyOf, pushRequest } from "./web-push.ts";

/** People have a few devices. */
const MAX_CHANNELS = 32;
/** Services want to know who sends; without a name of its own this machine has nothing to tell. */
const NO_CONTACT = "mailto:amux@example.com";

export interface ChannelsParts {
  env: PathEnv;
  file: ChannelFile;
  /** The page's address from outside, such as https://box.example. */
  page: string | undefined;
  /** Also push services in a private network. */
  privatePush: boolean;
  onProblem: (what: string, error: unknown) => void;
}

export class Channels {
  readonly #parts: ChannelsParts;
  readonly #queues = new Map<string, DeliveryQueue>();

  constructor(parts: ChannelsParts) {
    this.#parts = parts;
  }

  list(): Channel[] {
    return this.#parts.file.read().channels.map((channel) => this.#shown(channel));
  }

  /** The key that browsers subscribe to; made on first use. */
  publicKey(): string {
    const stored = this.#parts.file.read();
    const key = stored.key ?? newSigningKey();
    if (stored.key === undefined) this.#parts.file.write({ ...stored, key });
    return publicKeyOf(key);
  }

  add(request: AddChannelRequest): AddedChannel {
    const url = request.kind === "push" ? request.endpoint : request.url;
    this.#check(url, request.kind);
    if (request.kind === "push" && !isBrowserKey(request.keys.p256dh))
      throw new Problem("bad_request", "keys.p256dh is not a key.");
    const stored = this.#parts.file.read();
    // A browser may ask again; it stays one channel.
    const before = stored.channels.find((other) => addressOf(other) === url);
    const others = stored.channels.filter((other) => other !== before);
    if (others.length >= MAX_CHANNELS)
      throw new Problem("bad_request", `There are ${MAX_CHANNELS} channels already. Remove one first.`);
    const channel = channelFrom(request, before);
    this.#parts.file.write({ ...stored, channels: [...others, channel] });
    const isNewSecret = channel.kind === "webhook" && before === undefined;
    return { ...this.#shown(channel), ...(isNewSecret ? { secret: channel.secret } : {}) };
  }

  remove(id: string): void {
    const stored = this.#parts.file.read();
    const channels = stored.channels.filter((channel) => channel.id !== id);
    if (channels.length === stored.channels.length) throw unknown(id);
    this.#parts.file.write({ ...stored, channels });
    this.#queues.get(id)?.close();
    this.#queues.delete(id);
  }

  /** Sends one message now. The result says whether the service took it. */
  async test(id: string): Promise<Channel> {
    const channel = this.#parts.file.read().channels.find((other) => other.id === id);
    if (channel === undefined) throw unknown(id);
    // A channel that is gone is removed, with its state.
    const error = await this.#queueOf(id).try(testMessage());
    return { ...this.#shown(channel), ...optional("error", error) };
  }

  act(action: NoticeAction): void {
    let message: Message | undefined;
    try {
      for (const { id } of this.#parts.file.read().channels) this.#queueOf(id).add((message ??= messageOf(action)));
    } catch (error) {
      this.#parts.onProblem("notification channels", error);
    }
  }

  close(): void {
    for (const queue of this.#queues.values()) queue.close();
  }

  #queueOf(id: string): DeliveryQueue {
    const known = this.#queues.get(id);
    if (known !== undefined) return known;
    const queue = new DeliveryQueue({
      send: (message) => this.#send(id, message),
      onGone: () => this.#gone(id),
      onFailure: (error) => this.#parts.onProblem(`notification through ${id}`, new Error(error)),
    });
    this.#queues.set(id, queue);
    return queue;
  }

  async #send(id: string, message: Message): Promise<{ status: number; retryAfterMs?: number }> {
    const stored = this.#parts.file.read();
    const channel = stored.channels.find((other) => other.id === id);
    if (channel === undefined) throw unknown(id);
    const told = channel.kind === "push" ? message : await withoutSecrets(message, this.#parts.env);
    const answer = await sendRequest(this.#requestFor(channel, told, stored.key));
    // An older ntfy server cannot withdraw.
    const isOldServer = channel.kind === "ntfy" && message.event === "withdraw" && [404, 405].includes(answer.status);
    return isOldServer ? { status: 200 } : answer;
  }

  #requestFor(channel: StoredChannel, message: Message, key = newSigningKey()): OutgoingRequest {
    const { page } = this.#parts;
    if (channel.kind === "ntfy") return ntfyRequest(channel, message, page);
    if (channel.kind === "webhook") return webhookRequest(channel, message);
    return pushRequest(channel, message, { key, contact: page ?? NO_CONTACT, reach: this.#pushReach });
  }

  get #pushReach(): Reach {
    return this.#parts.privatePush ? "any" : "public";
  }

  /** A push service forgets browsers that unsubscribed. Other services may only be set up wrongly. */
  #gone(id: string): void {
    if (id.startsWith("push-")) this.remove(id);
  }

  #shown(channel: StoredChannel): Channel {
    const { sentAt, failedAt, error } = this.#queues.get(channel.id)?.state ?? {};
    return {
      id: channel.id,
      kind: channel.kind,
      service: new URL(addressOf(channel)).host,
      ...optional("name", channel.kind === "push" ? channel.name : undefined),
      text: channel.kind === "push" || channel.text,
      added_at: channel.added_at,
      ...optional("sent_at", sentAt),
      ...optional("failed_at", failedAt),
      ...optional("error", error),
    };
  }

  #check(text: string, kind: StoredChannel["kind"]): void {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isWeb = url?.protocol === "https:" || (url?.protocol === "http:" && kind !== "push");
    if (url === undefined || !isWeb || url.username !== "" || url.password !== "")
      throw new Problem(
        "bad_request",
        kind === "push"
          ? "A push service has an https address."
          : "The address is https://…, without a password in it.",
      );
    if (kind === "ntfy" && !/^(?:\/[\w-]+)+\/?$/.test(`${url.pathname}${url.search}`))
      throw new Problem("bad_request", "The address of an ntfy topic is like https://ntfy.example/my-topic.");
    const reach = kind === "push" ? this.#pushReach : reachOf(text);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !mayReach(host, reach)) throw new Problem("bad_request", outOfReach(host, reach).message);
  }
}

function addressOf(channel: StoredChannel): string {
  return channel.kind === "push" ? channel.endpoint : channel.url;
}

function channelFrom(request: AddChannelRequest, before: StoredChannel | undefined): StoredChannel {
  const common = {
    id: before?.kind === request.kind ? before.id : `${request.kind}-${randomBytes(4).toString("hex")}`,
    added_at: new Date().toISOString(),
  };
  if (request.kind === "push") {
    const { endpoint, keys, name } = request;
    return { ...common, kind: "push", endpoint, keys, ...optional("name", name) };
  }
  const { url, token, text = true } = request;
  if (request.kind === "ntfy") return { ...common, kind: "ntfy", url, text, ...optional("token", token) };
  const secret = before?.kind === "webhook" ? before.secret : `whsec_${randomBytes(24).toString("base64")}`;
  return { ...common, kind: "webhook", url, text, secret };
}

function unknown(id: string): Problem {
  return new Problem("not_found", `There is no channel ${id}.`);
}
