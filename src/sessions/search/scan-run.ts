/** Reads the sessions an index does not know: here, and in further threads when there is much to read. */
import { Breather } from "../../lib/breathe.ts";
import type { OnProgress } from "../catalog.ts";
import { familyOf } from "./copies.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import type { Plan } from "./plan.ts";
import type { BatchAnswer } from "./scan-messages.ts";
import { ScanPool } from "./scan-pool.ts";
import { factsOf } from "./session-fields.ts";
import type { SessionScan, UnknownSession } from "./session-scan.ts";

/** What became of a session. */
export interface Outcome extends UnknownSession {
  /** Undefined: it is not found. */
  found: Found | undefined;
}

/** Time after which the rest is estimated, and the rest for which starting threads pays. */
const TRIAL_MS = 120;
const WORTH_MS = 500;

export class ScanRun {
  /** Agents in whose files titles of other sessions were met. */
  readonly withForeignTitles = new Set<string>();
  readonly #scan: SessionScan;
  readonly #filter: Filter;
  readonly #plan: Plan;
  readonly #queue: UnknownSession[];
  /** What a thread gave back: not for threads again. */
  readonly #givenBack: UnknownSession[] = [];
  readonly #onProgress: OnProgress | undefined;
  readonly #arrived: Outcome[] = [];
  readonly #totalBytes: number;
  readonly #total: number;
  #doneBytes = 0;
  #done = 0;

  constructor(
    sessions: readonly UnknownSession[],
    scan: SessionScan,
    filter: Filter,
    onProgress: OnProgress | undefined,
  ) {
    this.#scan = scan;
    this.#plan = scan.plan;
    this.#filter = filter;
    this.#onProgress = onProgress;
    // Taken from the end, so turned round: the order of the listing is that of the disk.
    this.#queue = sessions.toReversed();
    this.#total = sessions.length;
    this.#totalBytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0);
  }

  async *outcomes(): AsyncGenerator<Outcome> {
    const breather = new Breather();
    const started = performance.now();
    let pool: ScanPool | undefined;
    let isTried = false;
    try {
      for (;;) {
        for (let session = this.#next(); session; session = this.#next()) {
          await breather.breathe();
          const outcome = await this.#look(session);
          if (outcome) yield outcome;
          while (this.#arrived.length > 0) yield this.#arrived.pop()!;
          const spent = performance.now() - started;
          if (!isTried && spent > TRIAL_MS) {
            isTried = true;
            const left = spent * (this.#totalBytes / Math.max(1, this.#doneBytes) - 1);
            if (left > WORTH_MS) pool = this.#startPool(session);
          }
        }
        await pool?.idle();
        if (this.#arrived.length + this.#queue.length + this.#givenBack.length === 0) return;
        while (this.#arrived.length > 0) yield this.#arrived.pop()!;
      }
    } finally {
      pool?.close();
    }
  }

  #next(): UnknownSession | undefined {
    return this.#givenBack.pop() ?? this.#queue.pop();
  }

  async #look(session: UnknownSession): Promise<Outcome | undefined> {
    const { catalog } = session;
    // Where bytes do not tell of titles in other files, all heads are read; most agents have none there.
    if (!this.#scan.canTell(catalog)) await catalog.entries();
    const looked = this.#scan.look(session);
    for (const agent of this.#scan.withForeignTitles) this.withForeignTitles.add(agent);
    this.#count([session]);
    return looked === undefined || looked === "undecided" ? undefined : { ...session, found: looked.found };
  }

  #count(sessions: readonly UnknownSession[]): void {
    for (const session of sessions) this.#doneBytes += bytesOf(session);
    this.#done += sessions.length;
    const agent = sessions[0]?.catalog.adapter.name;
    if (agent !== undefined) this.#onProgress?.({ agent, stage: "sessions", done: this.#done, total: this.#total });
  }

  #startPool({ catalog }: UnknownSession): ScanPool | undefined {
    const { since, until, model } = this.#filter.settings;
    const filter = {
      ...(since ? { since } : {}),
      ...(until ? { until } : {}),
      ...(model === undefined ? {} : { model }),
    };
    return ScanPool.start(
      { plan: this.#plan, filter, env: structuredClone({ ...catalog.env, vars: { ...catalog.env.vars } }) },
      {
        // From the other end, away from what is read here.
        take: () => this.#takeForThread(),
        onAnswer: (batch, answer) => this.#receive(batch, answer),
        onFailure: (batch) => this.#givenBack.push(...batch),
      },
    );
  }

  #takeForThread(): UnknownSession | undefined {
    for (let session = this.#queue.shift(); session; session = this.#queue.shift()) {
      if (this.#filter.passesUnread(session.catalog, session.source)) return session;
    }
    return undefined;
  }

  #receive(batch: readonly UnknownSession[], answer: BatchAnswer): void {
    const [first] = batch;
    this.#count(batch);
    for (const { path, reason } of answer.skipped) first?.catalog.notes.skip(path, reason);
    if (answer.hasForeignTitles && first) this.withForeignTitles.add(first.catalog.adapter.name);
    for (const number of answer.undecided) this.#givenBack.push(batch[number]!);
    for (const { number, head, findings, score } of answer.found) {
      const { catalog, source } = batch[number]!;
      const { updatedMs } = factsOf(catalog.adapter.name, source, head);
      const family = familyOf(source, head);
      const found: Found = { catalog, source, head: () => head, family, updatedMs, score, findings, certain: true };
      this.#arrived.push({ catalog, source, found });
    }
  }
}

function bytesOf({ source }: UnknownSession): number {
  let bytes = 0;
  for (const file of source.files) bytes += file.size;
  return bytes;
}
