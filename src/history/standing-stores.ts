/**
 * What is known of the agents' stores from one question to the next, for a program that is asked again and again. Every question
 * has sizes and times of all files looked at; as long as they are as they were, nothing is listed and nothing that was kept is
 * loaded anew. Nothing of it is left when nobody has asked for a while.
 */
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { SharedTurns } from "../lib/process/shared-turns.ts";
import type { SourcesById } from "./catalog-entry.ts";
import { sessionsNow } from "./cache/listing.ts";
import { SessionCache, type KeepMode } from "./cache/session-cache.ts";

/** Who asks what a page shows asks several things at once. */
const GATHER_MS = 2;

export class StandingStores {
  readonly #env: AgentEnv;
  readonly #idleMs: number;
  readonly #looks = new Map<string, SharedTurns<SourcesById | undefined>>();
  #kept: SessionCache | undefined;
  #asking = 0;
  #end: NodeJS.Timeout | undefined;

  /** `idleMs`: for how long after a question something is known. */
  constructor(env: AgentEnv, idleMs: number) {
    this.#env = env;
    this.#idleMs = idleMs;
  }

  /** Somebody asks; gives what is to be called when they have their answer. */
  enter(): () => void {
    clearTimeout(this.#end);
    this.#asking++;
    return () => {
      if (--this.#asking === 0) this.#end = setTimeout(() => this.#forget(), this.#idleMs).unref();
    };
  }

  #forget(): void {
    this.#kept = undefined;
    this.#looks.clear();
  }

  /** What was kept of sessions, as it is on the disk now. */
  kept(mode: KeepMode): SessionCache {
    if (this.#kept?.mode !== mode || !this.#kept.isCurrent) this.#kept = new SessionCache(this.#env, mode);
    return this.#kept;
  }

  /** An agent's sessions as they are now; those who ask at once share one look. */
  now(adapter: AgentAdapter, staleMs?: number): Promise<SourcesById | undefined> {
    let looks = this.#looks.get(adapter.name);
    if (looks === undefined) {
      const look = async (): Promise<SourcesById | undefined> =>
        this.#kept && sessionsNow(adapter, this.#env, this.#kept);
      looks = new SharedTurns(look, GATHER_MS);
      this.#looks.set(adapter.name, looks);
    }
    return looks.ask(staleMs);
  }
}
