/**
 * Names that become file names, socket names and URL parts; checked before they touch any of these. The runner uses
 * this, so Node's crypto, which costs it a quarter megabyte, is not; nothing here is a secret.
 */

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const ID_LENGTH = 8;
const SESSION_ID = /^sess-[a-z0-9]{8}$/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** `sess-` and eight of [a-z0-9]. */
export function newSessionId(): string {
  return `sess-${randomName(ID_LENGTH)}`;
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
  return `${Date.now().toString(36)}-${process.pid.toString(36)}-${randomName(ID_LENGTH)}`;
}

/** `sess-abcd1234@box` in its two parts; undefined for a session of this machine. */
export function splitRemoteId(id: string): { id: string; peer: string } | undefined {
  const at = id.lastIndexOf("@");
  return at < 0 ? undefined : { id: id.slice(0, at), peer: id.slice(at + 1) };
}

function randomName(length: number): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)]).join("");
}
