/**
 * Finds running sessions that edit the same file, from their transcripts, before git could know. Reads only transcripts that
 * changed, and asks git only about files that two sessions edited.
 */
import { createHash } from "node:crypto";
import { relative } from "node:path";
import {
  CONFLICT_LEVELS,
  CONFLICT_WINDOW_MS,
  type ConflictLevel,
  type EditConflict,
} from "../../core/edit-conflict.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { untrustedGit } from "../../status/untrusted-git.ts";
import { isBelow } from "../worktree/choose-worktree.ts";
import { checkoutOf, type Checkout } from "../worktree/repository.ts";
import { addEdits, touchSameLines, type FileEdits, type SessionEdits } from "./session-edits.ts";

/** A running session with a conversation. */
export interface WatchedSession {
  /** Of the terminal session. */
  id: string;
  agent: string;
  sessionId: string;
  /** Changes whenever the conversation does. */
  version: number;
}

/** Reads a conversation: its own messages, and those of its sub-agents. */
export type OpenConversation = (
  agent: string,
  sessionId: string,
) => Promise<{ cwd: string | undefined; updatedMs: number; transcripts: Iterable<Iterable<SessionMessage>> }>;

const MAX_SESSIONS = 200;
const MAX_SHOWN = 5;
/** One question for git. */
const MAX_PATHS = 200;
/** More than anybody resolves. */
const MAX_PAIRS = 100;
const STATUS = [
  "--literal-pathspecs",
  "status",
  "--porcelain",
  "-z",
  "--no-renames",
  "--untracked-files=all",
  "--ignore-submodules=all",
  "--",
];

interface Known {
  version: number;
  cwd: string;
  edits: SessionEdits;
}

interface Pair {
  sessions: [string, string];
  shared: Shared[];
}

/** A file that two sessions edited. */
interface Shared {
  level: ConflictLevel;
  /** Relative to the checkout, or absolute outside of one. */
  name: string;
  /** The checkout, if both worked in the same one. */
  top: string | undefined;
  since: number;
  latest: number;
}

export class ConflictRadar {
  readonly #open: OpenConversation;
  readonly #known = new Map<string, Known>();
  readonly #checkouts = new Map<string, Promise<Checkout | undefined>>();
  /** Directories without an answer: no repository, or git was too slow. They are asked again at the next look. */
  readonly #unanswered = new Set<string>();

  constructor(open: OpenConversation) {
    this.#open = open;
  }

  async look(watched: readonly WatchedSession[], now: number): Promise<EditConflict[]> {
    const sessions = watched.slice(0, MAX_SESSIONS);
    for (const cwd of this.#unanswered) this.#checkouts.delete(cwd);
    this.#unanswered.clear();
    await this.#read(sessions, now);
    const yielder = new EventLoopYielder();
    const pairs: Pair[] = [];
    for (const [at, first] of sessions.entries())
      for (const second of sessions.slice(at + 1)) {
        await yielder.yieldIfDue();
        // Two terminals on one conversation are one session.
        if (keyOf(first) === keyOf(second) || pairs.length >= MAX_PAIRS) continue;
        const [a, b] = [this.#known.get(keyOf(first))!, this.#known.get(keyOf(second))!];
        if (a.edits.size === 0 || b.edits.size === 0) continue;
        const shared = await this.#shared(a, b, now - CONFLICT_WINDOW_MS);
        const ids: [string, string] = lastOf(a) >= lastOf(b) ? [first.id, second.id] : [second.id, first.id];
        if (shared.length > 0) pairs.push({ sessions: ids, shared });
      }
    const isUncommitted = await uncommittedOf(pairs.flatMap(({ shared }) => shared));
    return pairs
      .flatMap(({ sessions: ids, shared }) => conflictOf(ids, shared.filter(isUncommitted)) ?? [])
      .sort((a, b) => a.since - b.since);
  }

  async #read(sessions: readonly WatchedSession[], now: number): Promise<void> {
    const keys = new Set(sessions.map(keyOf));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    for (const session of sessions) {
      const key = keyOf(session);
      if (this.#known.get(key)?.version === session.version) continue;
      this.#known.set(key, { version: session.version, ...(await this.#editsOf(session, now - CONFLICT_WINDOW_MS)) });
    }
  }

  async #editsOf({ agent, sessionId }: WatchedSession, from: number): Promise<Omit<Known, "version">> {
    try {
      const { cwd = "/", updatedMs, transcripts } = await this.#open(agent, sessionId);
      const edits: SessionEdits = new Map();
      for (const messages of transcripts) await addEdits(edits, messages, { cwd, from, otherwise: updatedMs });
      return { cwd, edits };
    } catch (error) {
      // Not written yet, or removed: the next change is a new attempt.
      if (error instanceof AgentMuxError) return { cwd: "/", edits: new Map() };
      throw error;
    }
  }

  async #shared(a: Known, b: Known, from: number): Promise<Shared[]> {
    const [placeA, placeB] = await Promise.all([this.#checkoutOf(a.cwd), this.#checkoutOf(b.cwd)]);
    const areTwins = placeA !== undefined && placeA.common === placeB?.common && placeA.top !== placeB.top;
    const found: Shared[] = [];
    for (const [path, mine] of a.edits) {
      const top = placeA !== undefined && isBelow(path, placeA.top) ? placeA.top : undefined;
      const name = top === undefined ? path : relative(top, path);
      const same = b.edits.get(path);
      const twin = areTwins && top !== undefined ? b.edits.get(`${placeB.top}/${name}`) : undefined;
      const theirs = same ?? twin;
      if (theirs === undefined || mine.last < from || theirs.last < from) continue;
      const level = same === undefined ? "merge" : touchSameLines(mine, theirs) ? "lines" : "file";
      found.push({ level, name, top: same === undefined ? undefined : top, ...timesOf(mine, theirs) });
    }
    return found;
  }

  /** Repositories do not move while a session runs in them. */
  #checkoutOf(cwd: string): Promise<Checkout | undefined> {
    const known = this.#checkouts.get(cwd);
    if (known !== undefined) return known;
    if (this.#checkouts.size >= MAX_SESSIONS) this.#checkouts.clear();
    this.#unanswered.add(cwd);
    const asked = checkoutOf(cwd).then((checkout) => {
      if (checkout !== undefined) this.#unanswered.delete(cwd);
      return checkout;
    });
    this.#checkouts.set(cwd, asked);
    return asked;
  }
}

function lastOf({ edits }: Known): number {
  return Math.max(...[...edits.values()].map(({ last }) => last));
}

function conflictOf(sessions: [string, string], shared: readonly Shared[]): EditConflict | undefined {
  const level = CONFLICT_LEVELS.find((wanted) => shared.some((file) => file.level === wanted));
  if (level === undefined) return undefined;
  const worst = shared.filter((file) => file.level === level);
  return {
    id: conflictId(...sessions),
    sessions,
    level,
    files: worst.slice(0, MAX_SHOWN).map(({ name }) => name),
    count: worst.length,
    since: Math.min(...shared.map(({ since }) => since)),
    latest: Math.max(...shared.map(({ latest }) => latest)),
  };
}

/** Not for files that git shows as unchanged: they were committed or taken back. One question for each checkout. */
async function uncommittedOf(shared: readonly Shared[]): Promise<(file: Shared) => boolean> {
  const changed = new Map<string, Set<string>>();
  for (const top of new Set(shared.flatMap((file) => file.top ?? []))) {
    const names = new Set(shared.filter((file) => file.top === top).map(({ name }) => name));
    const status = await untrustedGit(top, ...STATUS, ...[...names].slice(0, MAX_PATHS));
    if (status === undefined) continue;
    const others = [...names].slice(MAX_PATHS);
    changed.set(top, new Set([...status.split("\0").map((entry) => entry.slice(3)), ...others]));
  }
  // If git was not asked or cannot tell, it may be changed.
  return ({ top, name }) => (top === undefined ? undefined : changed.get(top))?.has(name) ?? true;
}

function timesOf(mine: FileEdits, theirs: FileEdits): { since: number; latest: number } {
  return { since: Math.max(mine.first, theirs.first), latest: Math.max(mine.last, theirs.last) };
}

function keyOf({ agent, sessionId }: WatchedSession): string {
  return `${agent}:${sessionId}`;
}

function conflictId(...ids: string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(ids.sort()));
  return `conflict-${hash.digest("hex").slice(0, 16)}`;
}
