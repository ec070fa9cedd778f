/** What the command line provides to the interface, which knows no agent itself. */
import type { DaemonClient } from "../client/daemon-client.ts";
import type { KnownSession } from "../client/session-list.ts";
import type { ShimClient, SpawnRequest } from "../client/shim-client.ts";
import type { BudgetWarning } from "../core/budget-warning.ts";
import type { EditConflict } from "../core/edit-conflict.ts";
import type { HeldPrompt } from "../core/held-prompt.ts";
import type { PathEnv } from "../lib/fs/paths.ts";
import type { SessionDirectories } from "../protocol/session-files.ts";
import type { SessionManager } from "../history/manager.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import type { ChangesOptions, ChangesSubject } from "../changes/diff/subject.ts";
import type { SessionChanges } from "../core/changes.ts";
import type { Review, ReviewChange, ReviewSend, ReviewSent } from "../protocol/review.ts";
import type { SessionView } from "../status/session-view.ts";
import type { SnoozeFile } from "../status/snooze.ts";
import type { StatusStore } from "../status/status-store.ts";

export interface StartableAgent {
  name: string;
  displayName: string;
  command: string;
  /** The command with a prompt and a model; absent if it takes no prompt. Empty texts are left out. */
  commandWith?(prompt: string, model: string): string[];
}

/** A session whose changes are looked at: this machine's, or another one's by its id. */
export type WorkSubject = ChangesSubject & { title: string; remote?: { id: string; isRunning: boolean } };

/** What a session changed, and the comments on it. */
export interface SessionWork {
  isRunning(): boolean;
  changes(options: ChangesOptions): Promise<SessionChanges>;
  /** Marks hunks as looked at. */
  looked(files: readonly { path: string; hunks: readonly string[] }[]): Promise<void>;
  review(): Promise<Review>;
  comment(change: ReviewChange): Promise<Review>;
  send(wish: ReviewSend): Promise<ReviewSent>;
}

export interface TuiServices {
  env: PathEnv;
  places: SessionDirectories;
  client: ShimClient;
  /** The source of other machines' sessions, if it runs. */
  daemon: DaemonClient;
  /** Loaded on first use, because the list often needs no history. */
  history(): Promise<SessionManager>;
  statusFiles: StatusStore;
  /** Sessions of other multiplexers, from their status files. */
  fileSessions(now: number): Promise<SessionView[]>;
  /** Snoozed sessions. */
  snoozes: SnoozeFile;
  /** Answers a permission request (`allow`, `deny`) or sends text to the agent. */
  answer(session: SessionView, answer: string, asked?: string): Promise<Receipt>;
  /** Sends a message to a session that asks nothing. */
  message(session: SessionView, text: string): Promise<Receipt>;
  /** The request that restarts an ended session. */
  revival(session: KnownSession): Promise<SpawnRequest>;
  /** The request that resumes a past session in a new one. */
  resumption(agent: string, sessionId: string): Promise<SpawnRequest>;
  /** The request that continues in a fork; with a message number the fork ends there. */
  fork(agent: string, sessionId: string, message?: number): Promise<SpawnRequest>;
  /** Budgets that warn. */
  budgetWarnings(now: number): BudgetWarning[];
  /** Of sessions that edit the same file; `isRunning` says which sessions count. */
  conflicts(isRunning: (id: string) => boolean, now: number): EditConflict[];
  /** Prompts that are not sent by themselves. */
  heldPrompts(sessions: readonly KnownSession[]): HeldPrompt[];
  work(subject: WorkSubject): SessionWork;
  /** Usage limits that agents report, as text. */
  limits(): Promise<string[]>;
  /** False if there is no browser. */
  openInBrowser(address: string): boolean;
  agents(): Promise<StartableAgent[]>;
  /** Its name in lists, which says whether it is experimental. */
  agentLabel(agent: string): string;
  /** The request that starts a command, with its agent's kind. */
  launch(command: readonly string[], cwd: string): Promise<SpawnRequest>;
}
