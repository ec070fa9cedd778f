/**
 * Every session the daemon knows. `upsert`, `upsertRemote` and `remove` are the only ways in: each derives what is shown,
 * writes, and tells the listeners, unless nothing that is shown has changed. One conversation has one row: a live
 * session takes the place of a dead one, and of two dead ones the one that ended last stays.
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
import { Twins, type Twin } from "./duplicate-sessions.ts";

export interface StoreChange {
  id: string;
  before: MuxSession | undefined;
  /** Undefined when it was removed. */
  after: MuxSession | undefined;
}

interface Entry {
  /** Absent for a peer's session. */
  record?: SessionRecord;
  session: MuxSession;
  /** Written once, sent often. */
  json: string;
}

interface Changes {
  runner: RunnerChange;
  files: FilesChange | FoundSession;
}

/** What a session is that nothing has been said of. */
const FRESH = { alive: false, status: null, unread: false };

export class SessionStore {
  readonly #entries = new Map<string, Entry>();
  readonly #slugs = new Slugs();
  readonly #twins = new Twins();
  readonly #listeners = new Set<(change: StoreChange) => void>();
  readonly #currentRunner: string | undefined;
  /** Of this machine. */
  readonly #live = new Set<string>();
  readonly #remote = new Set<string>();
  /** Made when it is first asked for, and kept in order from then on. */
  #order: Aged[] | undefined;
  #version = 0;

  /** The hash of the runner that would be started now. */
  constructor(currentRunner?: string) {
    this.#currentRunner = currentRunner;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Of this machine. */
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

  /** Newest first, and in the same order every time. */
  list(): MuxSession[] {
    return this.#inOrder().map(({ session }) => session);
  }

  /** The same, each as JSON. */
  listJson(): string[] {
    return this.#inOrder().map(({ json }) => json);
  }

  /** Another one after every change. */
  get version(): number {
    return this.#version;
  }

  *records(): Generator<Readonly<SessionRecord>> {
    for (const { record } of this.#entries.values()) if (record !== undefined) yield record;
  }

  /** Those of sessions that are alive; few, where there may be thousands in all. */
  *liveRecords(): Generator<Readonly<SessionRecord>> {
    for (const id of this.#live) {
      const record = this.record(id);
      if (record !== undefined) yield record;
    }
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** The session that stands for a conversation. */
  withKey(kind: string, resumeKey: string): string | undefined {
    return this.#twins.best({ kind, resume_key: resumeKey });
  }

  /** The answer ends it. */
  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Creates the session if the change says all that a new one needs; a change to one that is gone is dropped. */
  upsert<Name extends Writer>(writer: Name, id: string, change: Changes[Name]): void {
    const before = this.#entries.get(id)?.record;
    // Not by spreading: V8 makes objects of that which are slow to read, and at a start there are thousands.
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

  /** What a peer derived is taken as it is; only the slug has to be unique here too. */
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

  /** Those that stand back for the session, undefined if it does itself. Their slugs are free: a URL leads to who stays. */
  #settle(session: Twin, peer: string | undefined): string[] | undefined {
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

/** Where it stands among those that are in order, or would stand. */
function placeOf(order: readonly Aged[], session: Aged): number {
  let [from, until] = [0, order.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    if (byAge(order[middle]!, session) < 0) from = middle + 1;
    else until = middle;
  }
  return from;
}
