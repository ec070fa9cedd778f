/**
 * Web Push: the message is encrypted for the browser (RFC 8291), and signed so that the push service knows that it comes from
 * whoever the browser subscribed to (RFC 8292). The service sees when and how often, not what.
 */
import { createECDH, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { encrypt } from "http_ece";
import type { SigningKey, StoredChannel } from "./channel-file.ts";
import type { Message } from "./message.ts";
import type { OutgoingRequest, Reach } from "./send-request.ts";

const CURVE = "prime256v1";
/** A question is worth nothing much later. */
const KEPT_SECONDS = 4 * 3600;
const SIGNED_FOR_SECONDS = 12 * 3600;
/** Messages are padded to this size, so that their length says nothing. */
const PADDED_BYTES = 1536;

export function newSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: CURVE });
  return privateKey.export({ format: "jwk" }) as SigningKey;
}

/** As browsers expect it. */
export function publicKeyOf({ x, y }: SigningKey): string {
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString(
    "base64url",
  );
}

/** Whether the key is a point of the curve; anything else may come from a request. */
export function isBrowserKey(p256dh: string): boolean {
  const own = createECDH(CURVE);
  own.generateKeys();
  try {
    own.computeSecret(p256dh, "base64url");
    return true;
  } catch {
    return false;
  }
}

export interface PushSender {
  key: SigningKey;
  /** Who sends it: services want a link or a mail address. */
  contact: string;
  reach: Reach;
}

export function pushRequest(
  { endpoint, keys }: Extract<StoredChannel, { kind: "push" }>,
  { event, tag, title, body, path, isUrgent, question }: Message,
  { key, contact, reach }: PushSender,
): OutgoingRequest {
  const content = Buffer.from(JSON.stringify({ event, tag, title, body, path, question }));
  const privateKey = createECDH(CURVE);
  privateKey.generateKeys();
  return {
    url: endpoint,
    method: "POST",
    headers: {
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: String(KEPT_SECONDS),
      urgency: isUrgent ? "high" : "normal",
      // A withdrawal replaces a message that was not delivered yet.
      topic: tag,
      authorization: `vapid t=${signed(endpoint, contact, key)}, k=${publicKeyOf(key)}`,
    },
    body: encrypt(content, {
      version: "aes128gcm",
      dh: keys.p256dh.replace(/=+$/, ""),
      authSecret: keys.auth.replace(/=+$/, ""),
      privateKey,
      pad: Math.max(0, PADDED_BYTES - content.length),
    }),
    reach,
  };
}

function signed(endpoint: string, contact: string, key: SigningKey): string {
  const expires = Math.floor(Date.now() / 1000) + SIGNED_FOR_SECONDS;
  const parts = [
    { typ: "JWT", alg: "ES256" },
    { aud: new URL(endpoint).origin, exp: expires, sub: contact },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const privateKey = createPrivateKey({ key, format: "jwk" });
  const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}
