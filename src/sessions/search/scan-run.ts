/** Looks at the sessions an index does not know: here, and in a thread when there is much to do. */
import { AgentRegistry } from "../../agents/registry.ts";
import type { AgentAdapter } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { Breather } from "../../lib/breathe.ts";
import { uptimeMs } from "../../lib/clock.ts";
import type { OnProgress } from "../progress.ts";
import { familyOf } from "./copies.ts";
import type { Filter } from "./filter.ts";
import type { Found } from "./found.ts";
import type { BatchAnswer, LookAnswer, ReadAnswer } from "./scan-messages.ts";
import { ScanThread, type Batch } from "./scan-thread.ts";
import { ScanQueue } from "./scan-queue.ts";
import { factsOf } from "./session-fields.ts";
import type { SessionScan, UnknownSession } from "./session-scan.ts";

/** What became of a session. */
export interface Outcome extends UnknownSession {
  /** Undefined: it is not found. */
  found: Found | undefined;
}

/** Time after which the rest is estimated, and the rest for which a thread pays: it takes a tenth more of the processor. */
const TRIAL_MS = 100;
const WORTH_MS = 2000;
/** Sessions between two looks at the clock. */
const STRETCH = 16;

export class ScanRun {
  /** Agents in whose files titles of other sessions were met. */
  readonly withForeignTitles = new Set<string>();
  readonly #scan: SessionScan;
  readonly #filter: Filter;
  readonly #queue: ScanQueue;
  readonly #onProgress: OnProgress | undefined;
  readonly #adapters: ReadonlySet<AgentAdapter>;
  readonly #builtIn = new Set<AgentAdapter>();
  readonly #arrived: Outcome[] = [];
  #done = 0;

  constructor(
    sessions: readonly UnknownSession[],
    scan: SessionScan,
    filter: Filter,
    onProgress: OnProgress | undefined,
  ) {
    this.#scan = scan;
    this.#filter = filter;
    this.#onProgress = onProgress;
    this.#adapters = new Set(sessions.map(({ catalog }) => catalog.adapter));
    this.#queue = new ScanQueue(sessions, scan, ({ catalog }) => this.#builtIn.has(catalog.adapter));
  }

  async *outcomes(): AsyncGenerator<Outcome> {
    const breather = new Breather();
    const started = uptimeMs();
    let thread: ScanThread | undefined;
    let isTried = false;
    try {
      for (;;) {
        for (let next = this.#queue.next(), count = 1; next; next = this.#queue.next(), count++) {
          const { session, isCandidate } = next;
          // Where bytes do not tell of titles in other files, all heads are read; most agents have none there.
          if (!this.#scan.canTell(session.catalog)) await session.catalog.entries();
          const looked = isCandidate ? this.#scan.read(session) : this.#scan.look(session);
          this.#done++;
          if (looked) yield { ...session, found: looked.found };
          if (looked === undefined && count % STRETCH !== 0) continue;
          this.#count(session, 0);
          await breather.breathe();
          while (this.#arrived.length > 0) yield this.#arrived.pop()!;
          if (isTried) continue;
          const spent = uptimeMs() - started;
          if (spent < TRIAL_MS) continue;
          isTried = true;
          const restMs = spent * (this.#queue.total / Math.max(1, this.#done) - 1);
          if (restMs > WORTH_MS) thread = await this.#startThread(session);
        }
        for (const agent of this.#scan.withForeignTitles) this.withForeignTitles.add(agent);
        await thread?.idle();
        while (this.#arrived.length > 0) yield this.#arrived.pop()!;
        if (this.#queue.isEmpty) return;
      }
    } finally {
      thread?.close();
    }
  }

  #count({ catalog }: UnknownSession, sessions: number): void {
    this.#done += sessions;
    if (this.#onProgress === undefined) return;
    this.#onProgress({ agent: catalog.adapter.name, stage: "sessions", done: this.#done, total: this.#queue.total });
  }

  async #startThread({ catalog }: UnknownSession): Promise<ScanThread | undefined> {
    const { since, until, model } = this.#filter.settings;
    const filter = {
      ...(since ? { since } : {}),
      ...(until ? { until } : {}),
      ...(model === undefined ? {} : { model }),
    };
    // Adapters that were registered at run time are not known to a thread.
    const registry = new AgentRegistry();
    for (const { name } of this.#adapters) if (registry.has(name)) this.#builtIn.add(await registry.get(name));
    const { env } = catalog;
    return ScanThread.start(
      { plan: this.#scan.plan, filter, env: structuredClone({ ...env, vars: { ...env.vars } }) },
      {
        take: () => this.#queue.batch(),
        onAnswer: (batch, answer) => this.#receive(batch, answer),
        onFailure: ({ sessions }) => this.#queue.giveBack(sessions),
      },
    );
  }

  #receive(batch: Batch, answer: BatchAnswer): void {
    if (answer.kind === "look") this.#receiveLook(batch, answer);
    else this.#receiveRead(batch, answer);
  }

  #receiveLook({ sessions }: Batch, { candidates, undecided, withTitles }: LookAnswer): void {
    for (const number of withTitles) this.withForeignTitles.add(sessions[number]!.catalog.adapter.name);
    for (const number of candidates) this.#queue.addCandidate(sessions[number]!);
    this.#queue.giveBack(undecided.map((number) => sessions[number]!));
    this.#count(sessions[0]!, sessions.length - candidates.length - undecided.length);
  }

  #receiveRead({ sessions }: Batch, { found, skipped }: ReadAnswer): void {
    this.#count(sessions[0]!, sessions.length);
    for (const { path, reason } of skipped) sessions[0]!.catalog.notes.skip(path, reason);
    for (const { number, head, findings, score } of found) {
      const { catalog, source } = sessions[number]!;
      const { updatedMs } = factsOf(catalog.adapter.name, source, head);
      const family = familyOf(source, head);
      this.#arrived.push({
        catalog,
        source,
        found: {
          catalog,
          source,
          unifiedId: joinUnifiedId(catalog.adapter.name, source.sessionId),
          head: () => head,
          family,
          updatedMs,
          score,
          findings,
          certain: true,
        },
      });
    }
  }
}
