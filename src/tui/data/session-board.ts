/**
 * The data of the list, from files and sockets: local sessions, other multiplexers, past sessions, git, memory. Running
 * sessions load before the first frame, the rest after it. Nothing is polled while the list is hidden.
 */
import { statSync } from "node:fs";
import { conversationOf } from "../../client/conversation.ts";
import { DaemonMissing } from "../../client/daemon-client.ts";
import type { KnownSession } from "../../client/session-list.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { storedMeta } from "../../client/stored-meta.ts";
import { entriesOf } from "../../lib/fs/directory.ts";
import { isLockHeld } from "../../lib/process/process-lock.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { sessionFiles, sessionsDirectory } from "../../protocol/session-files.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { isSessionId, splitRemoteId } from "../../protocol/session-id.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import {
  attentionQueue,
  budgetItem,
  byUrgency,
  conflictItem,
  queueItem,
  type AttentionItem,
} from "../../status/attention.ts";
import { conflictsOf } from "../../status/conflict-file.ts";
import { GitCache } from "../../status/git-cache.ts";
import type { GitInfo } from "../../status/git-info.ts";
import { usageOfTrees } from "../../status/process-usage.ts";
import { viewOfSession } from "../../status/runner-view.ts";
import type { SessionView } from "../../status/session-view.ts";
import { withoutSnoozed } from "../../status/snooze.ts";
import type { TuiServices } from "../services.ts";
import { HistoryBoard } from "./history-board.ts";
import { withLikelyConversations } from "./likely-conversation.ts";
import { remoteWaiting } from "./remote-waiting.ts";
import { rowOfFile, rowOfPeer, rowOfRunner, withConflict, type Row } from "./row.ts";

/** Runners write changes within a second. */
const LOOK_EVERY_MS = 1000;
const FILES_EVERY_MS = 2000;
const MEMORY_EVERY_MS = 5000;
const PEERS_EVERY_MS = 5000;
const PAST_EVERY_MS = 60_000;

interface Remembered {
  version: string;
  meta: SessionMeta | undefined;
}

export class SessionBoard {
  private readonly services: TuiServices;
  private readonly onChange: () => void;
  private readonly onProblem: (text: string) => void;
  private readonly problems = new Set<string>();
  private readonly git = new GitCache();
  private readonly metas = new Map<string, Remembered>();
  private readonly memory = new Map<number, number>();
  private known: KnownSession[] = [];
  private files: SessionView[] = [];
  private peers: MuxSession[] = [];
  private remoteWaiting: AttentionItem[] = [];
  private readonly past: HistoryBoard;
  private made: { at: number; rows: Row[]; attention: AttentionItem[] } | undefined;
  private timers: NodeJS.Timeout[] = [];
  private busy = new Set<string>();
  private stopped = false;

  /** A failed refresh is reported once; the next may succeed. */
  constructor(services: TuiServices, onChange: () => void, onProblem: (text: string) => void) {
    this.services = services;
    this.onChange = onChange;
    this.onProblem = onProblem;
    this.past = new HistoryBoard(services, () => this.changed());
    this.look();
  }

  /** Starts refreshing, after the first frame. */
  start(): void {
    this.every(LOOK_EVERY_MS, () => this.look());
    this.every(FILES_EVERY_MS, () => this.once("files", () => this.lookAtFiles()), true);
    this.every(MEMORY_EVERY_MS, () => this.once("memory", () => this.lookAtMemory()), true);
    this.every(PEERS_EVERY_MS, () => this.once("peers", () => this.lookAtPeers()), true);
    this.every(PAST_EVERY_MS, () => this.once("past", () => this.past.look()), true);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
  }

  refresh(): void {
    this.made = undefined;
    this.look();
    void this.once("files", () => this.lookAtFiles());
    void this.once("past", () => this.past.look());
  }

  /** Waits for a refresh that is already running. */
  async refreshPast(): Promise<void> {
    await this.past.look();
  }

  /** Sessions of runners, running and ended, newest first. */
  sessions(): readonly KnownSession[] {
    return this.known;
  }

  find(sessionId: string): KnownSession | undefined {
    return this.known.find(({ meta }) => meta.id === sessionId);
  }

  /** Undefined for an unknown session. */
  titleOf(sessionId: string): string | undefined {
    return this.find(sessionId)?.meta.title ?? this.peers.find(({ id }) => id === sessionId)?.title;
  }

  /** Not known to have ended. Other machines' sessions are known only after a request. */
  mayRun(sessionId: string): boolean {
    if (splitRemoteId(sessionId) === undefined) return this.find(sessionId)?.alive === true;
    return this.peers.find(({ id }) => id === sessionId)?.alive !== false;
  }

  /** Finds past sessions that ended in an error. */
  lookForErrors(): Promise<void> {
    return this.past.lookForErrors();
  }

  /** Undefined until history is loaded. */
  pastCount(): number | undefined {
    return this.past.rows?.length;
  }

  /** The same array until something changes or a second passes, so that ages update. */
  rows(): readonly Row[] {
    return this.current().rows;
  }

  attention(): readonly AttentionItem[] {
    return this.current().attention;
  }

  private current(): { rows: Row[]; attention: AttentionItem[] } {
    const now = Date.now();
    if (this.made !== undefined && now - this.made.at < LOOK_EVERY_MS) return this.made;
    const views = this.known.map((known) => viewOfSession(known, now));
    const conflicts = this.services.conflicts((id) => this.find(id)?.alive === true, now);
    const all = this.known.map((known, at) => rowOfRunner(known, views[at] as SessionView));
    const runners = withLikelyConversations(all, this.past.rows ?? []).map((each) => {
      const row = this.past.withCost(each);
      const others = conflictsOf(conflicts, row.key).map(({ other }) => this.titleOf(other) ?? other);
      return others.length === 0 ? row : withConflict(row, others);
    });
    // The conversation of an ended shell is resumed separately.
    const writers = this.known.filter(({ meta, alive }) => alive || meta.agent === undefined);
    const open = new Set([...writers.map(({ meta }) => conversationOf(meta)), ...runners.flatMap(writtenNow)]);
    const past = (this.past.rows ?? []).filter(({ key }) => !open.has(key));
    const files = this.files.map((view) => this.past.withCost(rowOfFile(view)));
    const rows = [...runners, ...files, ...this.peers.map((peer) => this.peerRow(peer)), ...past];
    const budgets = this.services.budgetWarnings(now).map(budgetItem);
    const clashes = conflicts.map((conflict) => conflictItem(conflict, (id) => this.titleOf(id)));
    const held = this.services.heldPrompts(this.known).map((prompt) => queueItem(prompt, (id) => this.titleOf(id)));
    const own = [...attentionQueue([...views, ...this.files], now), ...budgets, ...held, ...clashes];
    const queue = [...own, ...this.remoteWaiting];
    this.made = {
      at: now,
      rows,
      attention: withoutSnoozed(queue.sort(byUrgency), this.services.snoozes.read(now), now),
    };
    return this.made;
  }

  /** Cached facts of a directory's repository; refreshes in the background. */
  gitOf(cwd: string): GitInfo | undefined {
    return cwd === "" ? undefined : this.git.peek(cwd);
  }

  /** The same after a refresh. */
  gitNow(cwd: string): Promise<GitInfo | undefined> {
    return this.git.get(cwd);
  }

  rssOf(pid: number | undefined): number | undefined {
    return pid === undefined ? undefined : this.memory.get(pid);
  }

  private peerRow(peer: MuxSession): Row {
    return rowOfPeer(
      peer,
      this.remoteWaiting.find(({ ref }) => ref === peer.id),
    );
  }

  private changed(): void {
    this.made = undefined;
    if (!this.stopped) this.onChange();
  }

  private look(): void {
    const { places } = this.services;
    const before = this.known;
    this.known = entriesOf(sessionsDirectory(places))
      .filter((entry) => isSessionId(entry.name))
      .flatMap((entry) => {
        const { meta: path, lock } = sessionFiles(places, entry.name);
        const meta = this.metaAt(path);
        if (meta === undefined) return [];
        const alive = meta.alive && isLockHeld(lock);
        // A runner writes its end before it gives up its lock.
        return [{ meta: alive === meta.alive ? meta : (this.metaAt(path) ?? meta), alive }];
      })
      .sort((a, b) => (a.meta.created_at < b.meta.created_at ? 1 : -1));
    const same =
      before.length === this.known.length &&
      before.every((old, at) => old.meta === this.known[at]?.meta && old.alive === this.known[at]?.alive);
    if (!same) this.changed();
  }

  private metaAt(path: string): SessionMeta | undefined {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return undefined;
    // Every write makes a new file; two of them may have the same time.
    const version = `${file.ino} ${file.mtimeMs}`;
    const known = this.metas.get(path);
    if (known?.version === version) return known.meta;
    const meta = storedMeta(path);
    this.metas.set(path, { version, meta });
    return meta;
  }

  private async lookAtFiles(): Promise<void> {
    const files = await this.services.fileSessions(Date.now());
    if (JSON.stringify(files) === JSON.stringify(this.files)) return;
    this.files = files;
    this.changed();
  }

  private async lookAtMemory(): Promise<void> {
    const pids = [
      ...this.known.flatMap(({ meta, alive }) => (alive ? [meta.pid] : [])),
      ...this.files.flatMap(({ pid }) => pid ?? []),
    ];
    if (pids.length === 0) return;
    const usage = await usageOfTrees(pids);
    this.memory.clear();
    for (const [pid, { rssBytes }] of usage) this.memory.set(pid, rssBytes);
    this.changed();
  }

  /** Only the daemon knows other machines' sessions. */
  private async lookAtPeers(): Promise<void> {
    let peers: MuxSession[] = [];
    try {
      const sessions = await this.services.daemon.ask<MuxSession[]>({ method: "GET", path: "/v1/sessions" });
      peers = sessions.filter(({ id, archived }) => id.includes("@") && archived !== true);
    } catch (error) {
      if (!(error instanceof DaemonMissing)) throw error;
    }
    const waiting = peers.length === 0 ? [] : await remoteWaiting(this.services.daemon);
    const isSame = JSON.stringify([peers, waiting]) === JSON.stringify([this.peers, this.remoteWaiting]);
    if (isSame) return;
    this.peers = peers;
    this.remoteWaiting = waiting;
    this.changed();
  }

  private every(ms: number, work: () => unknown, now = false): void {
    this.timers.push(setInterval(work, ms));
    if (now) setImmediate(() => this.stopped || void work());
  }

  /** Refreshes do not overlap. */
  private async once(name: string, work: () => Promise<void>): Promise<void> {
    if (this.busy.has(name)) return;
    this.busy.add(name);
    try {
      await work();
    } catch (error) {
      const text = errorText(error);
      if (!this.problems.has(text)) this.onProblem(text);
      this.problems.add(text);
    } finally {
      this.busy.delete(name);
    }
  }
}

/** The conversation of a running session, as the key of its past row. */
function writtenNow({ kind, conversation }: Row): string[] {
  return kind === "live" && conversation ? [joinUnifiedId(conversation.agent, conversation.sessionId)] : [];
}
