/**
 * Watches all agents' stores. Changes are checked soon if that agent has a running session, otherwise at the next scan. Without
 * changes nothing is done.
 */
import { join } from "node:path";
import type { AgentAdapter, AgentEnv } from "../../agents/adapter.ts";
import { presentAgent } from "../../agents/present-agent.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { DirectoryWatcher, type DirectoryEvent } from "../../lib/fs/directory-watcher.ts";
import { AgentFiles, PART, type Work } from "./agent-files.ts";
import type { FilesUpdate } from "./found-conversation.ts";
import { FreshDirectories } from "./fresh-directories.ts";
import { HeadCache } from "./head-cache.ts";

export const SCAN_INTERVAL_MS = 30_000;

/** Agents write a turn in bursts. */
const GATHER_MS = 200;

/** Maximum share of time for listings, so that a huge, busy store stays cheap. */
const LISTING_SHARE = 0.03;

interface Agent {
  files: AgentFiles;
  watcher: DirectoryWatcher;
  fresh: FreshDirectories;
  touched: Set<string>;
  needsListing: boolean;
  /** No listing before this moment. */
  notBefore: number;
  timer: NodeJS.Timeout | undefined;
  working: Promise<void>;
}

export class FilesEngine {
  readonly #registry: AgentRegistry;
  readonly #env: AgentEnv;
  readonly #onNews: (news: FilesUpdate) => void;
  readonly #onProblem: (what: string, error: unknown) => void;
  readonly #heads: HeadCache;
  readonly #agents = new Map<string, Agent>();
  #followed: ReadonlySet<string> = new Set();
  #closed = false;

  constructor(
    registry: AgentRegistry,
    env: AgentEnv,
    onNews: (news: FilesUpdate) => void,
    onProblem: (what: string, error: unknown) => void,
  ) {
    this.#heads = new HeadCache(env);
    this.#registry = registry;
    this.#env = env;
    this.#onNews = onNews;
    this.#onProblem = onProblem;
  }

  /** Resolves when every store was checked once. */
  async start(): Promise<void> {
    await this.#openPresent();
  }

  /** Agents whose changes are wanted soon. */
  async follow(agents: ReadonlySet<string>): Promise<void> {
    this.#followed = agents;
    for (const name of agents) {
      const agent = this.#agents.get(name);
      if (agent !== undefined && hasNews(agent)) this.#soon(agent);
      // It may be about to begin its store.
      if (agent === undefined && this.#registry.has(name)) await this.#open(await this.#registry.get(name));
    }
  }

  /** Checks all agents for changes since the last scan. */
  async scan(): Promise<void> {
    for (const agent of this.#agents.values()) {
      // Unwatched directories can only be polled.
      if (agent.watcher.unwatched > 0) agent.needsListing = true;
      if (hasNews(agent)) await this.#look(agent);
    }
    await this.#openPresent();
    this.#heads.writeIfDue();
  }

  /** Most agents have never been on this machine: their code is not loaded, and nothing of theirs is watched. */
  async #openPresent(): Promise<void> {
    for (const name of this.#registry.names()) {
      if (!this.#agents.has(name)) await this.#open(await presentAgent(this.#registry, name, this.#env));
    }
  }

  async #open(adapter: AgentAdapter): Promise<void> {
    const { name, history } = adapter;
    if (history === undefined || this.#agents.has(name) || this.#closed) return;
    const agent: Agent = {
      files: new AgentFiles(adapter, history, this.#env, this.#heads),
      watcher: new DirectoryWatcher((event) => this.#changed(agent, event)),
      fresh: new FreshDirectories(),
      touched: new Set(),
      needsListing: true,
      notBefore: 0,
      timer: undefined,
      working: Promise.resolve(),
    };
    this.#agents.set(name, agent);
    await this.#look(agent);
  }

  work(): Work {
    const total = { listings: 0, heads: 0 };
    for (const { files } of this.#agents.values()) {
      total.listings += files.work.listings;
      total.heads += files.work.heads;
    }
    return total;
  }

  close(): void {
    this.#closed = true;
    for (const agent of this.#agents.values()) {
      clearTimeout(agent.timer);
      agent.watcher.close();
    }
  }

  #changed(agent: Agent, { directory, name, appeared }: DirectoryEvent): void {
    const path = name === undefined ? directory : join(directory, name);
    if (!agent.files.concerns(path)) return;
    if (appeared || name === undefined) {
      agent.needsListing = true;
      for (const found of agent.fresh.found(path)) agent.watcher.add(found);
    } else agent.touched.add(path);
    if (this.#followed.has(agent.files.name)) this.#soon(agent);
  }

  #soon(agent: Agent): void {
    if (agent.timer !== undefined || this.#closed) return;
    const wait = agent.needsListing ? Math.max(GATHER_MS, agent.notBefore - performance.now()) : GATHER_MS;
    agent.timer = setTimeout(() => void this.#look(agent), wait);
  }

  /** One look at a time: a listing replaces what a look at single files builds on. */
  #look(agent: Agent): Promise<void> {
    agent.working = agent.working.then(() => this.#lookNow(agent));
    return agent.working;
  }

  async #lookNow(agent: Agent): Promise<void> {
    clearTimeout(agent.timer);
    agent.timer = undefined;
    if (this.#closed || !hasNews(agent)) return;
    const touched = [...agent.touched];
    agent.touched.clear();
    try {
      const news = agent.needsListing ? undefined : agent.files.touch(touched);
      this.#tell(news ?? (await this.#list(agent)));
    } catch (error) {
      this.#onProblem(`reading ${agent.files.name}'s sessions`, error);
    }
  }

  async #list(agent: Agent): Promise<FilesUpdate> {
    const { files, watcher, fresh } = agent;
    agent.needsListing = false;
    const began = performance.now();
    // Watched before listed: a change in between is seen twice rather than never.
    watcher.set(new Set([...files.directories(), ...fresh.existing()]));
    const news = await files.list((part) => this.#tell(part));
    watcher.set(new Set([...files.directories(), ...fresh.existing()]));
    // The first one loads the reader and reads every head: later ones take much less.
    if (news.first) this.#heads.write();
    else agent.notBefore = performance.now() + (performance.now() - began) / LISTING_SHARE;
    return news;
  }

  #tell(news: FilesUpdate): void {
    if (this.#closed || !(news.first || news.changed.length > 0 || news.removed.length > 0)) return;
    this.#onNews({ ...news, changed: news.changed.slice(0, PART) });
    for (let at = PART; at < news.changed.length; at += PART) {
      this.#onNews({ ...news, changed: news.changed.slice(at, at + PART), removed: [] });
    }
  }
}

function hasNews({ needsListing, touched }: Agent): boolean {
  return needsListing || touched.size > 0;
}
