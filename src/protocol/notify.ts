/** Channels for notifications outside of the page: Web Push, ntfy, a webhook. */
import * as z from "zod/mini";

const MAX_ADDRESS = 2048;
const Address = z.string().check(z.maxLength(MAX_ADDRESS));
const base64url = (bytes: number): z.ZodMiniString =>
  z.string().check(z.regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 8) / 6)}}={0,2}$`)));

export const CHANNEL_ID = /^(?:push|ntfy|webhook)-[a-z0-9]{8}$/;

/** A browser's PushSubscription. */
export const PushKeys = z.object({ p256dh: base64url(65), auth: base64url(16) });

export const AddChannelRequest = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("push"),
    endpoint: Address,
    keys: PushKeys,
    /** Names the device in lists. */
    name: z.optional(z.string().check(z.maxLength(80))),
  }),
  z.object({
    kind: z.enum(["ntfy", "webhook"]),
    url: Address,
    /** An access token for the ntfy server. */
    token: z.optional(z.string().check(z.regex(/^[\x21-\x7e]{1,256}$/))),
    /** Without it only names and reasons are sent, no questions. */
    text: z.optional(z.boolean()),
  }),
]);
export type AddChannelRequest = z.infer<typeof AddChannelRequest>;

export const Channel = z.object({
  id: z.string(),
  kind: z.enum(["push", "ntfy", "webhook"]),
  /** The host that gets the messages. */
  service: z.string(),
  name: z.optional(z.string()),
  /** Whether questions are sent with their text. */
  text: z.boolean(),
  added_at: z.string(),
  /** Since the daemon's start. */
  sent_at: z.optional(z.string()),
  failed_at: z.optional(z.string()),
  /** Of the last message, if it failed. */
  error: z.optional(z.string()),
});
export type Channel = z.infer<typeof Channel>;

/** The secret of a webhook's signatures is told once. */
export const AddedChannel = z.extend(Channel, { secret: z.optional(z.string()) });
export type AddedChannel = z.infer<typeof AddedChannel>;

export const PushKey = z.object({ public_key: z.string() });
