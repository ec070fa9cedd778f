/** Names that become file names, socket names and URL parts; checked before they touch any of these. */
import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const ID_LENGTH = 8;
const SESSION_ID = /^sess-[a-z0-9]{8}$/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** `sess-` and eight of [a-z0-9], drawn without bias. */
export function newSessionId(): string {
  let id = "";
  while (id.length < ID_LENGTH) {
    for (const byte of randomBytes(ID_LENGTH)) {
      // 252 = 7 x 36: higher bytes would favour the first letters.
      if (byte < 252 && id.length < ID_LENGTH) id += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `sess-${id}`;
}

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** Lower-case letters, digits and inner hyphens, at most 40. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** One process's life; input meant for one never reaches its successor under the same session id. */
export function newIncarnation(): string {
  return randomBytes(8).toString("hex");
}
