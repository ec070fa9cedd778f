/**
 * Heads, counts and sums of sessions, kept in a file so that they need not be read again. A cache: whatever is wrong with it
 * (not there, damaged, locked, no space for it), answers are the same, only later.
 */
import { dirname, join } from "node:path";
import type { AgentEnv, SessionHead } from "../agents/adapter.ts";
import { acquireLock } from "../lib/process-lock.ts";
import { amuxHome } from "../lib/paths.ts";
import { ensurePrivateDirectory } from "../lib/private-directory.ts";
import { AccountSegments } from "./account-segments.ts";
import { accountsSegment, type KeptAccount } from "./kept-accounts.ts";
import {
  appendToKeptFile,
  isUnchanged,
  jsonPart,
  readKeptFile,
  replaceKeptFile,
  type KeptFileState,
  type Segment,
} from "./kept-file.ts";
import type { Catalog } from "./catalog.ts";
import { KeptSources, sourcesSegment } from "./kept-sources.ts";

/** `use`: reads it. `fill`: also keeps what had to be read. `none`: as if it were not there. */
export type KeepMode = "use" | "fill" | "none";

export interface KeptHead {
  signature: string;
  /** Null: there is no conversation in the files. Its title keys are told apart. */
  head: SessionHead | null;
}

export interface KeptFork {
  /** Of all sessions of its family. */
  signature: string;
  parent: string | null;
}

/** To be raised when the format changes, or what a reader makes of a session. */
const FORMAT = 15;

declare const AMUX_VERSION: string | undefined;

/** Readers change from version to version. */
export const KEPT_VERSION = `${FORMAT}/${typeof AMUX_VERSION === "string" ? AMUX_VERSION : "source"}`;

/** More segments than this are made into one of each kind. */
const MAX_SEGMENTS = 48;

export function keptSessionsPath(env: AgentEnv): string {
  return join(amuxHome(env), "index-sessions.bin");
}

/** What is known of one agent's sessions; null in place of what does not hold any more. */
interface Kept {
  heads: Map<string, KeptHead | null>;
  titleKeys: Map<string, string[]>;
  forks: Map<string, KeptFork | null>;
}
type Kind = "heads" | "forks";
const KINDS: readonly Kind[] = ["heads", "forks"];

/** What was put: accounts, too, which are used where they lie once they are in the file. */
interface Put extends Kept {
  accounts: Map<string, KeptAccount | null>;
}

/** Kept as one: later ones take the place of earlier ones. */
const SOURCES = "sources";

export class KeptSessions {
  readonly #path: string;
  readonly mode: KeepMode;
  #file: KeptFileState;
  readonly #loaded = new Map<string, Kept>();
  readonly #loadedKinds = new Set<string>();
  readonly #accounts = new Map<string, AccountSegments>();
  readonly #put = new Map<string, Put>();
  readonly #putSources = new Map<string, Segment>();

  constructor(env: AgentEnv, mode: KeepMode) {
    this.#path = keptSessionsPath(env);
    this.mode = mode;
    this.#file = mode === "none" ? { segments: [], end: 0, size: 0, ino: 0 } : readKeptFile(this.#path, KEPT_VERSION);
  }

  /** Whether the file is as it was read here, or written here since. */
  get isCurrent(): boolean {
    return isUnchanged(this.#path, this.#file);
  }

  /** Of the file: with all that is made of it, it takes four times as much memory. */
  get bytes(): number {
    return this.#file.size;
  }

  heads(agent: string): ReadonlyMap<string, KeptHead | null> {
    return this.#load(agent, "heads").heads;
  }

  /** Ids of records by which other sessions' files may name the session. */
  titleKeys(agent: string): ReadonlyMap<string, string[]> {
    return this.#load(agent, "heads").titleKeys;
  }

  accounts(agent: string): AccountSegments {
    let accounts = this.#accounts.get(agent);
    if (accounts === undefined) this.#accounts.set(agent, (accounts = this.#loadAccounts(agent)));
    return accounts;
  }

  #loadAccounts(agent: string): AccountSegments {
    try {
      return new AccountSegments(this.#file.segments.filter(({ name }) => name === `${agent} accounts`));
    } catch {
      // Sound bytes of another meaning: nothing of it is used.
      return new AccountSegments([]);
    }
  }

  forks(agent: string): ReadonlyMap<string, KeptFork | null> {
    return this.#load(agent, "forks").forks;
  }

  /** Later segments say what holds instead of earlier ones. */
  #load(agent: string, kind: Kind): Kept {
    let kept = this.#loaded.get(agent);
    if (kept === undefined) this.#loaded.set(agent, (kept = nothingKept()));
    const name = `${agent} ${kind}`;
    if (this.#loadedKinds.has(name)) return kept;
    this.#loadedKinds.add(name);
    const segments = this.#file.segments.filter((segment) => segment.name === name);
    try {
      for (const segment of segments) takeSegment(kept, kind, segment);
    } catch {
      // As above.
      kept[kind].clear();
    }
    return kept;
  }

  /** Where the agent's sessions were. */
  sources(agent: string): KeptSources | undefined {
    const segment = this.#sourcesSegment(agent);
    try {
      return segment && new KeptSources(segment);
    } catch {
      // As above.
      return undefined;
    }
  }

  #sourcesSegment(agent: string): Segment | undefined {
    return this.#file.segments.findLast(({ name }) => name === `${agent} ${SOURCES}`);
  }

  /** Where they are, as they were just listed. */
  putSources(catalog: Catalog): void {
    const segment = this.mode === "fill" ? sourcesSegment(catalog) : undefined;
    if (segment) this.putSourcesSegment(catalog.adapter.name, segment);
  }

  putSourcesSegment(agent: string, { parts }: Pick<Segment, "parts">): void {
    this.#putSources.set(agent, { name: `${agent} ${SOURCES}`, parts });
  }

  putHead(agent: string, session: string, signature: string, head: SessionHead | undefined): void {
    const { titleKeys, ...rest } = head ?? {};
    const kept = { signature, head: head === undefined ? null : (rest as SessionHead) };
    for (const { heads, titleKeys: keys } of this.#knownOf(agent, "heads")) {
      heads.set(session, kept);
      if (titleKeys) keys.set(session, titleKeys);
      else keys.delete(session);
    }
  }

  putAccount(agent: string, session: string, account: KeptAccount): void {
    this.#putOf(agent).accounts.set(session, account);
  }

  putFork(agent: string, session: string, signature: string, parent: string | undefined): void {
    for (const { forks } of this.#knownOf(agent, "forks")) forks.set(session, { signature, parent: parent ?? null });
  }

  /** Of a session that is no more. */
  remove(agent: string, session: string): void {
    for (const { heads } of this.#knownOf(agent, "heads")) heads.set(session, null);
    for (const { forks } of this.#knownOf(agent, "forks")) forks.set(session, null);
    this.removeAccount(agent, session);
  }

  removeAccount(agent: string, session: string): void {
    this.#putOf(agent).accounts.set(session, null);
  }

  /** Keeps what was put, if nobody else has written meanwhile and there is space. */
  close(): void {
    if (this.mode !== "fill" || this.#put.size + this.#putSources.size === 0) return;
    try {
      ensurePrivateDirectory(dirname(this.#path));
      const lock = acquireLock(`${this.#path}.lock`);
      if (lock === undefined) return;
      try {
        this.#write();
      } finally {
        lock.release();
      }
    } catch {
      // No space, or no right to write: then it is not kept.
    }
    this.#put.clear();
    this.#putSources.clear();
  }

  /** What is to be kept and, once that was loaded, what is known: others may ask here before it is on the disk. */
  #knownOf(agent: string, kind: Kind): Kept[] {
    const loaded = this.#loadedKinds.has(`${agent} ${kind}`) ? this.#loaded.get(agent) : undefined;
    return loaded ? [this.#putOf(agent), loaded] : [this.#putOf(agent)];
  }

  #putOf(agent: string): Put {
    let put = this.#put.get(agent);
    if (put === undefined) this.#put.set(agent, (put = { ...nothingKept(), accounts: new Map() }));
    return put;
  }

  /** Sessions are settled with each other, so nothing that was made from an older state is put beside newer ones. */
  #write(): void {
    const added = [...this.#put].flatMap(([agent, put]) => segmentsOf(agent, put));
    added.push(...this.#putSources.values());
    const isSmall = this.#file.segments.length + added.length <= MAX_SEGMENTS;
    // With sources everything is put into their order, and none are left behind others: they are long, and read for every report.
    const isListed = this.#putSources.size > 0;
    if (isSmall && !isListed && this.#file.end > 0) {
      this.#file = appendToKeptFile(this.#path, this.#file, added) ?? this.#file;
      for (const agent of this.#put.keys()) this.#accounts.delete(agent);
    } else if (isUnchanged(this.#path, this.#file)) replaceKeptFile(this.#path, KEPT_VERSION, this.#all());
  }

  /** Everything that holds, with what was put over what was there. */
  #all(): Segment[] {
    const agents = new Set([
      ...this.#file.segments.map(({ name }) => name.split(" ")[0]!),
      ...this.#put.keys(),
      ...this.#putSources.keys(),
    ]);
    return [...agents].flatMap((agent) => {
      const sources = this.#putSources.get(agent) ?? this.#sourcesSegment(agent);
      const accounts = merged(this.accounts(agent), this.#putOf(agent).accounts);
      const segments = KINDS.flatMap((kind) => this.#allOf(agent, kind));
      if (sources === undefined) return [...segments, ...segmentsOf(agent, { ...nothingKept(), accounts })];
      return [...segments, accountsInOrder(agent, accounts, new KeptSources(sources)), sources];
    });
  }

  #allOf(agent: string, kind: Kind): Segment[] {
    const segments = this.#file.segments.filter(({ name }) => name === `${agent} ${kind}`);
    const put = this.#putOf(agent);
    if (segments.length <= 1 && put[kind].size === 0) return segments;
    const kept = this.#load(agent, kind);
    return segmentsOf(agent, {
      ...nothingKept(),
      accounts: new Map(),
      [kind]: merged<unknown>(kept[kind], put[kind]),
      titleKeys: new Map([...kept.titleKeys, ...put.titleKeys]),
    });
  }
}

function nothingKept(): Kept {
  return { heads: new Map(), titleKeys: new Map(), forks: new Map() };
}

/**
 * In the order of all sessions there are, with those that have none: so that all can be told to hold without looking at each.
 * Of others that were kept since, after them.
 */
function accountsInOrder(agent: string, accounts: Map<string, KeptAccount | null>, sources: KeptSources): Segment {
  const { ids } = sources;
  const ordered = new Map<string, KeptAccount | null>([...ids.all.map((id) => [id, null] as const), ...accounts]);
  return accountsSegment(`${agent} accounts`, ordered, (id) => sources.stamps(ids.indexOf(id)).numbers);
}

function merged<T>(kept: Iterable<[string, T | null]>, put: Iterable<[string, T | null]>): Map<string, T | null> {
  return new Map([...kept, ...put].filter(([, value]) => value !== null));
}

function segmentsOf(agent: string, { heads, titleKeys, accounts, forks }: Put): Segment[] {
  const segments: Segment[] = [];
  if (heads.size > 0) {
    const keys = [...titleKeys].filter(([id]) => heads.has(id));
    segments.push({ name: `${agent} heads`, parts: [jsonPart([...heads]), jsonPart(keys)] });
  }
  if (accounts.size > 0) segments.push(accountsSegment(`${agent} accounts`, accounts));
  if (forks.size > 0) segments.push({ name: `${agent} forks`, parts: [jsonPart([...forks])] });
  return segments;
}

function takeSegment(kept: Kept, kind: Kind, segment: Segment): void {
  const [json, keys] = segment.parts;
  for (const [id, entry] of JSON.parse(String(json)) as [string, never][]) kept[kind].set(id, entry);
  if (!keys) return;
  for (const [id, list] of JSON.parse(String(keys)) as [string, string[]][]) kept.titleKeys.set(id, list);
}
