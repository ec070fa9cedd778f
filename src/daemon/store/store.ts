/**
 * Every session the daemon knows. `upsert`, `upsertRemote` and `remove` derive the visible row, store it, and notify if it
 * changed. One conversation has one row: running before ended, then the last ended.
 */
import { wellFormedJson } from "../../lib/text/text.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { derive, sanitize } from "./derived-fields.ts";
import {
  mayWrite,
  type FilesChange,
  type FoundSession,
  type RunnerChange,
  type SessionRecord,
  type Writer,
} from "./session-record.ts";
import { Slugs, wantedSlug } from "./slugs.ts";
import { DuplicateSessions, type DuplicateSession } from "./duplicate-sessions.ts";

export interface StoreChange {
  id: string;
  before: MuxSession | undefined;
  /** Undefined if it was removed. */
  after: MuxSession | undefined;
}

interface Entry {
  /** Absent for a peer's session. */
  record?: SessionRecord;
  session: MuxSession;
  /** Encoded once, sent often. */
  json: string;
}

interface Changes {
  runner: RunnerChange;
  files: FilesChange | FoundSession;
}

/** Defaults of a new session. */
const FRESH = { alive: false, status: null, unread: false };

export class SessionStore {
  readonly #entries = new Map<string, Entry>();
  readonly #slugs = new Slugs();
  readonly #twins = new DuplicateSessions();
  readonly #listeners = new Set<(change: StoreChange) => void>();
  readonly #currentRunner: string | undefined;
  /** Local sessions. */
  readonly #live = new Set<string>();
  readonly #remote = new Set<string>();
  /** Built on demand, and kept sorted from then on. */
  #order: Aged[] | undefined;
  #version = 0;

  /** Hash of the runner for new sessions. */
  constructor(currentRunner?: string) {
    this.#currentRunner = currentRunner;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Local sessions only. */
  get ownSize(): number {
    return this.#entries.size - this.#remote.size;
  }

  record(id: string): Readonly<SessionRecord> | undefined {
    return this.#entries.get(id)?.record;
  }

  get(id: string): MuxSession | undefined {
    return this.#entries.get(id)?.session;
  }

  json(id: string): string | undefined {
    return this.#entries.get(id)?.json;
  }

  /** Newest first, in a stable order. */
  list(): MuxSession[] {
    return this.#inOrder().map(({ session }) => session);
  }

  /** The same, each as JSON. */
  listJson(): string[] {
    return this.#inOrder().map(({ json }) => json);
  }

  /** Changes with every update. */
  get version(): number {
    return this.#version;
  }

  *records(): Generator<Readonly<SessionRecord>> {
    for (const { record } of this.#entries.values()) if (record !== undefined) yield record;
  }

  /** Records of running sessions; few, among possibly thousands. */
  *liveRecords(): Generator<Readonly<SessionRecord>> {
    for (const id of this.#live) {
      const record = this.record(id);
      if (record !== undefined) yield record;
    }
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** The visible session of a conversation. */
  withKey(kind: string, resumeKey: string): string | undefined {
    return this.#twins.best({ kind, resume_key: resumeKey });
  }

  /** Returns a function that ends it. */
  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Creates the session if the change has all required fields; a change to a removed one is dropped. */
  upsert<Name extends Writer>(writer: Name, id: string, change: Changes[Name]): void {
    const before = this.#entries.get(id)?.record;
    // Not by spreading: V8 makes such objects slow to read, and startup creates thousands.
    const record: Record<string, unknown> = {};
    Object.assign(record, before ?? FRESH, change, { id });
    for (const [field, value] of Object.entries(change)) {
      if (field !== "id" && !mayWrite(writer, field as keyof SessionRecord, before === undefined)) {
        throw new Error(`${field} is not for ${writer} to write.`);
      }
      if (value === undefined) delete record[field];
    }
    if (isComplete(record)) this.#write(id, record);
  }

  /** A peer's derived fields are kept; only the slug must be unique here too. */
  upsertRemote(peer: string, session: MuxSession): void {
    const id = `${session.id}@${peer}`;
    const losers = this.#settle({ ...session, id }, peer);
    if (losers === undefined) return;
    const slug = this.#slugs.assign(id, `${peer}/${session.kind}`, session.slug ?? session.id);
    this.#put(id, { session: sanitize({ ...session, id, slug, peer }), json: "" }, losers);
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#slugs.release(id);
    this.#twins.delete(id);
    this.#live.delete(id);
    this.#remote.delete(id);
    this.#order?.splice(placeOf(this.#order, entry.session), 1);
    this.#tell({ id, before: entry.session, after: undefined });
  }

  #write(id: string, record: SessionRecord): void {
    const losers = this.#settle(record, undefined);
    if (losers === undefined) return;
    const slug = this.#slugs.assign(id, record.kind, wantedSlug(record), record.kept_slug);
    this.#put(id, { record, session: derive(record, slug, this.#currentRunner), json: "" }, losers);
  }

  /** Ids the session replaces; undefined if it is hidden itself. Their slugs become free: a URL leads to the visible one. */
  #settle(session: DuplicateSession, peer: string | undefined): string[] | undefined {
    const losers = this.#twins.settle(session, peer);
    if (losers.includes(session.id)) {
      this.#twins.delete(session.id);
      this.remove(session.id);
      return undefined;
    }
    for (const loser of losers) this.#slugs.release(loser);
    return losers;
  }

  #put(id: string, entry: Entry, losers: readonly string[]): void {
    const before = this.#entries.get(id);
    entry.json = wellFormedJson(JSON.stringify(entry.session));
    this.#entries.set(id, entry);
    if (entry.record === undefined) this.#remote.add(id);
    else if (entry.session.alive) this.#live.add(id);
    else this.#live.delete(id);
    if (before?.session.created_at !== entry.session.created_at) this.#arrange(before?.session, entry.session);
    if (entry.json !== before?.json) this.#tell({ id, before: before?.session, after: entry.session });
    for (const loser of losers) this.remove(loser);
  }

  #arrange(before: Aged | undefined, { id, created_at }: Aged): void {
    const order = this.#order;
    if (order === undefined) return;
    if (before !== undefined) order.splice(placeOf(order, before), 1);
    order.splice(placeOf(order, { id, created_at }), 0, { id, created_at });
  }

  #inOrder(): Entry[] {
    this.#order ??= [...this.#entries.values()]
      .map(({ session: { id, created_at } }) => ({ id, created_at }))
      .sort(byAge);
    return this.#order.map(({ id }) => this.#entries.get(id)!);
  }

  #tell(change: StoreChange): void {
    this.#version++;
    for (const listener of this.#listeners) listener(change);
  }
}

function isComplete(record: Record<string, unknown>): record is Record<string, unknown> & SessionRecord {
  const { created_at, kind, cwd, command } = record;
  return created_at !== undefined && kind !== undefined && cwd !== undefined && command !== undefined;
}

type Aged = Pick<MuxSession, "id" | "created_at">;

function byAge(a: Aged, b: Aged): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/** Its index in the sorted list, or where it would be. */
function placeOf(order: readonly Aged[], session: Aged): number {
  let [from, until] = [0, order.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    if (byAge(order[middle]!, session) < 0) from = middle + 1;
    else until = middle;
  }
  return from;
}
