/**
 * Session ids and slugs, checked before they become file names, socket names or URL parts. Node's crypto would cost a runner 250
 * KB, and nothing here is secret.
 */

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const ID_LENGTH = 8;
const SESSION_ID = /^sess-[a-z0-9]{8}$/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** `sess-` and eight of [a-z0-9]. */
export function newSessionId(): string {
  return `sess-${randomName(ID_LENGTH)}`;
}

/** Of a queued prompt; unique enough for one user's few. */
export function newPromptId(): string {
  return `q-${randomName(6)}`;
}

/** Of an entry in the attention list that is no session: a budget, a conflict or a queued prompt. */
export const ENTRY_ID = "(?:(?:budget|conflict)-[0-9a-f]{16}|q-[a-z0-9]{6})";

export function isEntryId(text: string): boolean {
  return new RegExp(`^${ENTRY_ID}$`).test(text);
}

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** Lower-case letters, digits and inner hyphens, at most 40. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** Identifies one process; input meant for it never reaches its successor under the same session id. */
export function newIncarnation(): string {
  return `${Date.now().toString(36)}-${process.pid.toString(36)}-${randomName(ID_LENGTH)}`;
}

/** Splits `sess-abcd1234@box`; undefined for a session of this machine. */
export function splitRemoteId(id: string): { id: string; peer: string } | undefined {
  const at = id.lastIndexOf("@");
  return at < 0 ? undefined : { id: id.slice(0, at), peer: id.slice(at + 1) };
}

function randomName(length: number): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)]).join("");
}
