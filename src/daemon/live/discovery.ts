/**
 * Scans sockets and stored sessions every three seconds: passes new ones to Register, checks silent ones, and never creates a
 * running session itself.
 */
import type { SessionMeta } from "../../protocol/runner-api.ts";
import type { NotesStore } from "../files/session-notes.ts";
import type { SessionStore } from "../store/store.ts";
import type { Dismissed } from "../actions/dismissed.ts";
import type { Register } from "./register.ts";
import { storedStateOf } from "./runner-updates.ts";
import type { Runners } from "./runners.ts";

export const DISCOVERY_INTERVAL_MS = 3000;

/** Delay before a silent socket is tried again; most are left over from a crash. */
const TRY_AGAIN_MS = 30_000;

/** A stopped or swapped-out runner answers late; nobody waits longer. */
const PATIENCE_MS = 2000;

interface DiscoveryParts {
  store: SessionStore;
  runners: Runners;
  notes: Pick<NotesStore, "read">;
  register: Register;
  dismissed: Dismissed;
  /** Ended sessions found on disk. */
  onStored(id: string, meta: SessionMeta): void;
}

export class Discovery {
  readonly #parts: DiscoveryParts;
  readonly #mute = new Map<string, number>();
  /** Sessions with a directory: when it is removed, so are they. A runner need not have one. */
  readonly #keeping = new Set<string>();
  #storedVersion = -1;
  #looking: Promise<void> | undefined;

  constructor(parts: DiscoveryParts) {
    this.#parts = parts;
  }

  /** One scan; concurrent calls share it. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** A runner registered. */
  arrived(id: string): void {
    if (this.#parts.runners.stored(id) !== undefined) this.#keeping.add(id);
  }

  /** Sessions on disk that were hidden may be shown now. */
  rereadStored(): void {
    this.rereadSoon();
    this.#readStored();
  }

  /** The same, at the next scan. */
  rereadSoon(): void {
    this.#storedVersion = -1;
  }

  async #look(): Promise<void> {
    const { store, runners, register } = this.#parts;
    const now = performance.now();
    const sockets = runners.sockets();
    const fresh = sockets.filter((id) => !register.isFollowing(id) && (this.#mute.get(id) ?? 0) <= now);
    const answered = await Promise.all(fresh.map((id) => patiently(this.#try(id))));
    // Files of a killed runner would be tried forever.
    const isLeft = answered.includes(false) || runners.withoutSocket().some((id) => !register.isFollowing(id));
    if (isLeft) await runners.removeOrphans();
    const silent = [...store.liveRecords()].filter(({ id }) => !register.isFollowing(id));
    await Promise.all(silent.map(({ id }) => patiently(register.settle(id))));
    await Promise.all(fresh.filter((_, index) => answered[index] !== true).map((id) => register.presume(id)));
    this.#readStored();
    for (const id of this.#mute.keys()) if (!sockets.includes(id)) this.#mute.delete(id);
  }

  async #try(id: string): Promise<boolean> {
    const hasAnswered = await this.#parts.register.register(id);
    if (hasAnswered) this.#mute.delete(id);
    else this.#mute.set(id, performance.now() + TRY_AGAIN_MS);
    return hasAnswered;
  }

  /** Sessions that ended unnoticed, and those removed from disk. */
  #readStored(): void {
    const { store, runners, notes, dismissed, onStored } = this.#parts;
    const version = runners.storedVersion();
    if (version === this.#storedVersion) return;
    // Current sockets: a session may have started while others were queried.
    const sockets = new Set(runners.sockets());
    const ids = new Set(runners.storedIds());
    let complete = true;
    for (const id of ids) {
      this.#keeping.add(id);
      if (store.record(id) !== undefined || dismissed.hasId(id)) continue;
      // Register handles one about to answer; a silent one counts as ended at the next scan.
      if (sockets.has(id) && !this.#mute.has(id)) {
        complete = false;
        continue;
      }
      const stored = runners.stored(id);
      if (stored === undefined) continue;
      store.upsert("runner", id, { ...storedStateOf(stored), kept_slug: notes.read(id).slug });
      onStored(id, stored.meta);
      // An earlier session of a dismissed conversation.
      const { kind = "", resume_key } = store.record(id) ?? {};
      if (resume_key !== undefined && dismissed.hasConversation(kind, resume_key)) store.remove(id);
    }
    for (const record of store.records()) {
      const hadRunner = record.started_at !== undefined;
      if (record.alive || !hadRunner || ids.has(record.id) || !this.#keeping.delete(record.id)) continue;
      dismissed.add(record);
      store.remove(record.id);
    }
    if (complete) this.#storedVersion = version;
  }
}

/** Undefined after the time limit; the work continues. */
function patiently<Result>(work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
