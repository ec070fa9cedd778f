/** The sessions a search has to look at: taken from one end by itself, from the other by its thread. */
import { bytesOf } from "./byte-candidates.ts";
import type { Batch } from "./scan-thread.ts";
import type { SessionScan, UnknownSession } from "./session-scan.ts";
import { plainSource } from "./signature.ts";

/** Long enough that asking for the next batch does not matter, short enough that none waits for the last. */
const LOOK_SESSIONS = 64;
const READ_SESSIONS = 8;

type Scan = Pick<SessionScan, "canTell" | "passesUnread">;

export class ScanQueue {
  readonly total: number;
  /** Not looked at yet; behind `#first` and before `#last`. */
  readonly #sessions: readonly UnknownSession[];
  #first = 0;
  #last: number;
  /** Looked at by a thread: to be read. */
  readonly #candidates: UnknownSession[] = [];
  /** What a thread could not do. */
  readonly #givenBack: UnknownSession[] = [];
  readonly #scan: Scan;
  /** Whether a thread can load the agent's adapter. */
  readonly #canLoad: (session: UnknownSession) => boolean;

  constructor(sessions: readonly UnknownSession[], scan: Scan, canLoad: (session: UnknownSession) => boolean) {
    this.#sessions = sessions;
    this.#last = sessions.length;
    this.total = sessions.length;
    this.#scan = scan;
    this.#canLoad = canLoad;
  }

  get isEmpty(): boolean {
    return this.#first >= this.#last && this.#candidates.length + this.#givenBack.length === 0;
  }

  /** The next session; `isCandidate` when its bytes were looked at already. */
  next(): { session: UnknownSession; isCandidate: boolean } | undefined {
    const back = this.#givenBack.pop();
    if (back) return { session: back, isCandidate: false };
    if (this.#first < this.#last) return { session: this.#sessions[this.#first++]!, isCandidate: false };
    const candidate = this.#candidates.pop();
    return candidate && { session: candidate, isCandidate: true };
  }

  addCandidate(session: UnknownSession): void {
    this.#candidates.push(session);
  }

  giveBack(sessions: readonly UnknownSession[]): void {
    this.#givenBack.push(...sessions);
  }

  /** Of whatever there is to be done by a thread. */
  batch(): Batch | undefined {
    return this.#readBatch() ?? this.#lookBatch();
  }

  #readBatch(): Batch | undefined {
    const index = this.#candidates.findIndex(this.#canLoad);
    const first = this.#candidates[index];
    if (first === undefined) return undefined;
    const sessions: UnknownSession[] = [];
    for (let at = index; at < this.#candidates.length && sessions.length < READ_SESSIONS;) {
      if (this.#candidates[at]!.catalog === first.catalog) sessions.push(...this.#candidates.splice(at, 1));
      else at++;
    }
    return {
      order: {
        kind: "read",
        agent: first.catalog.adapter.name,
        sources: sessions.map(({ source }) => plainSource(source)),
      },
      sessions,
    };
  }

  #lookBatch(): Batch | undefined {
    const sessions: UnknownSession[] = [];
    const bytes = [];
    while (this.#first < this.#last && sessions.length < LOOK_SESSIONS) {
      const session = this.#sessions[--this.#last]!;
      const { catalog, source } = session;
      if (!this.#scan.passesUnread(session)) continue;
      const known = this.#scan.canTell(catalog) ? bytesOf(catalog.adapter.history!.bytes!, [source]) : undefined;
      if (known === undefined) {
        this.#givenBack.push(session);
        continue;
      }
      sessions.push(session);
      bytes.push(known);
    }
    return sessions.length === 0 ? undefined : { order: { kind: "look", sessions: bytes }, sessions };
  }
}
