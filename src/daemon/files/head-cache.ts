/**
 * Heads in the session cache, so that a restarted daemon reads only changed files. Heads that were read are gathered before they
 * are written: frequent writes wear out disks. Nothing else is held in memory.
 */
import type { AgentEnv, SessionHead } from "../../agents/adapter.ts";
import { CacheLost, SessionCache, type CachedHead } from "../../history/cache/session-cache.ts";

/** This many heads may have to be read again. */
const UNWRITTEN = 50;

/** More are written at once, so that a first listing does not hold all heads in memory. */
const BATCH = 1000;

export class HeadCache {
  readonly #env: AgentEnv;
  #unwritten: Parameters<SessionCache["putHead"]>[] = [];
  /** The last write failed: a locked file holds up every further one. */
  #hasFailed = false;

  constructor(env: AgentEnv) {
    this.#env = env;
  }

  /** An agent's cached heads by session id. */
  of(agent: string): ReadonlyMap<string, CachedHead> {
    const cache = new SessionCache(this.#env, "fill");
    try {
      return cache.heads(agent);
    } catch (error) {
      if (error instanceof CacheLost) return new Map();
      throw error;
    } finally {
      cache.close();
    }
  }

  put(agent: string, id: string, stamp: string, head: SessionHead | undefined): void {
    if (this.#hasFailed) return;
    this.#unwritten.push([agent, id, stamp, head]);
    if (this.#unwritten.length >= BATCH) this.write();
  }

  /** After a look at all stores. */
  writeIfDue(): void {
    this.#hasFailed = false;
    if (this.#unwritten.length > UNWRITTEN) this.write();
  }

  /** What cannot be written is read again later. */
  write(): void {
    if (this.#unwritten.length === 0) return;
    const cache = new SessionCache(this.#env, "fill");
    for (const head of this.#unwritten) cache.putHead(...head);
    this.#unwritten = [];
    this.#hasFailed = !cache.close();
  }
}
