/**
 * Forks at a message: writes a truncated export, which its `import` reads. As in its own forks, messages
 * and parts get new ids and keep their times, and the title marks the fork.
 */
import type { ForkAt } from "../../adapter.ts";
import { exportOf } from "./format.ts";
import type { Product } from "./product.ts";
import type { StoredMessage, StoredSession } from "./stored-session.ts";
import { shownOf, visibleMessages } from "./transcript.ts";

export function forkAtOf({ name }: Product): ForkAt {
  return {
    newId: () => newId("ses", INVERTED),
    fileName: ({ sessionId }) => `${sessionId}.json`,
    load: (file) => [name, "import", file],
    open: ({ id }) => [name, "--session", id],
  };
}

/**
 * Undefined if the cut would split a message with several answers, and for sessions of OpenCode 2, whose export format
 * is unknown.
 */
export function copyUpTo(
  session: StoredSession,
  last: number,
  copy: { id: string; at: Date },
): Iterable<string> | undefined {
  const kept = session.isTranslated ? undefined : messagesUpTo(session, last);
  if (kept === undefined) return undefined;
  const ids = new Map<string, string>([[session.info.id, copy.id]]);
  for (const { id, parts } of kept) {
    ids.set(id, newId("msg"));
    for (const part of parts) ids.set(part.id, newId("prt"));
  }
  const slug = `fork-${Buffer.from(crypto.getRandomValues(new Uint8Array(3))).toString("hex")}`;
  const title = forkTitle(session.info.title);
  const { info, messages } = exportOf(session, kept, { id: copy.id, slug, title, atMs: copy.at.getTime() });
  return [JSON.stringify({ info, messages: withIds(messages, ids) })];
}

function messagesUpTo(session: StoredSession, last: number): StoredMessage[] | undefined {
  const kept: StoredMessage[] = [];
  let next = 0;
  for (const message of visibleMessages(session)) {
    if (next > last) return next === last + 1 ? kept : undefined;
    next += shownOf(message).length;
    kept.push(message);
  }
  return kept;
}

/** As OpenCode names them. */
function forkTitle(title: string): string {
  const [, name = title, number = "0"] = /^(.+) \(fork #(\d+)\)$/s.exec(title) ?? [];
  return `${name} (fork #${Number(number) + 1})`;
}

/** Messages refer to each other by id, too. */
function withIds(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => withIds(item, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withIds(item, ids)]));
}

const ID_BITS = 48n;
const INVERTED = (1n << ID_BITS) - 1n;
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LETTERS = 14;
/** Ids that OpenCode could generate within a millisecond. */
const PER_MS = 4096n;
let made = 0n;

/** Ascending ids; `mask` inverts them for sessions. */
function newId(prefix: string, mask = 0n): string {
  const time = (BigInt(Date.now()) * PER_MS + made++) & INVERTED;
  const letters = Array.from(
    crypto.getRandomValues(new Uint8Array(RANDOM_LETTERS)),
    (byte) => LETTERS[byte % LETTERS.length],
  );
  return `${prefix}_${(time ^ mask).toString(16).padStart(12, "0")}${letters.join("")}`;
}
