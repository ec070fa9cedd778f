/** Assembles the daemon's parts and its timers. */
import type { ChildProcess } from "node:child_process";
import { join, resolve } from "node:path";
import type { AgentEnv } from "../agents/adapter.ts";
import { agentSignals, MAIN_AGENT } from "../agents/agent-signals.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import type { DaemonFiles } from "../protocol/daemon-files.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { socketDirectory, type SessionDirectories } from "../protocol/session-files.ts";
import { nextReset, type NextReset } from "../limits/next-reset.ts";
import { GitCache } from "../status/git-cache.ts";
import { readWarnings } from "../limits/budget-warnings.ts";
import { withStatusFiles, type SessionView } from "../status/session-view.ts";
import { heldPrompts } from "../status/queue/held-prompts.ts";
import { SnoozeFile } from "../status/snooze.ts";
import { isWrittenElsewhere } from "../status/stored-evidence.ts";
import { statusDirectory } from "../status/status-directory.ts";
import type { CurrentPbi } from "../status/tasks/current-pbi.ts";
import { StatusStore } from "../status/status-store.ts";
import { tmuxViews } from "../status/tmux-views.ts";
import { HookSettings } from "./actions/agent-hooks.ts";
import { Answers } from "./actions/answers.ts";
import { costOf } from "./actions/conversation-cost.ts";
import { Details } from "./actions/details.ts";
import type { SessionEnder } from "./actions/end-sessions.ts";
import { Launcher } from "./actions/launcher.ts";
import { LoginEnvironment } from "./actions/login-environment.ts";
import { ForkCopies } from "./actions/fork-copies.ts";
import { ConversationOpener } from "./actions/open-conversation.ts";
import { Pastes } from "./actions/pastes.ts";
import { PromptQueues } from "./actions/prompt-queues.ts";
import { Terminals } from "./actions/terminals.ts";
import { SessionReviver } from "./actions/session-reviver.ts";
import { RunnerCalls } from "./actions/runner-calls.ts";
import { DaemonEvents } from "./events/daemon-events.ts";
import { FileService } from "./files/file-service.ts";
import { SCAN_INTERVAL_MS } from "./files/files-engine.ts";
import type { FilesUpdate } from "./files/found-conversation.ts";
import { lastMessagesOf } from "./files/last-messages.ts";
import { snapshotsOf } from "./files/project-snapshots.ts";
import { ScreenComparison } from "./files/screen-comparison.ts";
import { NotesFile } from "./files/session-notes.ts";
import { Attention } from "./live/attention.ts";
import { BudgetWatch, limitsFrom } from "./live/budget-watch.ts";
import { ConflictWatch } from "./live/conflict-watch.ts";
import { ConversationNotifier } from "./live/conversation-notifier.ts";
import { DISCOVERY_INTERVAL_MS } from "./live/discovery.ts";
import { QueueWaker } from "./live/queue-waker.ts";
import type { Register } from "./live/register.ts";
import { LocalRunners, RESTORED_WITHIN_MS } from "./live/runners.ts";
import { ScheduledPrompts } from "./live/scheduled-prompts.ts";
import { StatusFacts } from "./live/status-facts.ts";
import type { Channels } from "./notify/channels.ts";
import { notificationsFor } from "./notify/notifications.ts";
import { PeerFile } from "./peers/peer-file.ts";
import { linkLog } from "./peers/link-log.ts";
import { Peers } from "./peers/peers.ts";
import type { PeerHealth } from "./peers/remote-session.ts";
import type { Log } from "./process/log.ts";
import { BackgroundCommand } from "./process/background-command.ts";
import { ScheduledIndexing } from "./process/scheduled-indexing.ts";
import { ScheduledPush } from "./process/scheduled-push.ts";
import { ScheduledVaultSync } from "./process/scheduled-vault-sync.ts";
import { Projects } from "./projects/projects.ts";
import { TerminalRelay } from "./relay/terminal-relay.ts";
import { ShareLinks } from "./share/share-links.ts";
import { SessionCore } from "./session-core.ts";
import { programOf } from "./store/session-record.ts";
import type { SessionStore } from "./store/store.ts";
import { runnerHash } from "../client/runner-build.ts";

/** A conversation's last text is on the screen, or just above it. */
const WITNESS_LINES = 200;

/** Commits, tasks and pull requests change slowly. */
const PROJECTS_INTERVAL_MS = 60_000;
const BUDGETS_INTERVAL_MS = 60_000;
const CONFLICTS_INTERVAL_MS = 2000;
const LIMITS_INTERVAL_MS = 10 * 60_000;
/** How late a due prompt may wake its session. */
const QUEUES_INTERVAL_MS = 10_000;
/** How late a due push may be; a new schedule is noticed as late. */
const PUSH_LOOK_INTERVAL_MS = 30_000;
/** Also the time after the start, which is busy enough. */
const INDEXING_LOOK_INTERVAL_MS = 60_000;

export interface DaemonOptions {
  env: AgentEnv;
  places: SessionDirectories;
  paths: DaemonFiles;
  /** Path of the runner bundle. */
  runner: string;
  log: Log;
  /** Host names behind a TLS proxy. */
  hosts: readonly string[];
  /** The history process, if it was started early. */
  reader: ChildProcess | undefined;
  /** Whether a daemon's answer is our own. */
  isSelf(health: PeerHealth): boolean;
}

export class Daemon {
  readonly env: AgentEnv;
  readonly registry = new AgentRegistry();
  readonly runnerHash: string | undefined;
  readonly store: SessionStore;
  readonly events: DaemonEvents;
  readonly projects: Projects;
  readonly register: Register;
  /** Environment of new sessions. */
  readonly login: LoginEnvironment;
  readonly launcher: Launcher;
  readonly resumes: SessionReviver;
  readonly opener: ConversationOpener;
  readonly pastes: Pastes;
  readonly terminals: Terminals;
  readonly ends: SessionEnder;
  readonly sockets: LocalRunners;
  readonly runners: RunnerCalls;
  readonly answers: Answers;
  readonly details: Details;
  readonly attention: Attention;
  readonly channels: Channels;
  readonly files: FileService;
  /** Links to redacted sessions. */
  readonly shares: ShareLinks;
  /** Browsers' terminals. */
  readonly relay: TerminalRelay;
  /** Other machines. */
  readonly peers: Peers;
  readonly #core: SessionCore;
  readonly #witness: ScreenComparison;
  readonly #statuses: StatusStore;
  readonly #facts: StatusFacts;
  /** The current task by directory, from the last project scan. */
  readonly #pbis = new Map<string, CurrentPbi | null>();
  readonly #pushes: ScheduledPush;
  readonly #vaultSyncs: ScheduledVaultSync;
  readonly #indexing: ScheduledIndexing;
  readonly budgets: BudgetWatch;
  readonly #conflicts: ConflictWatch;
  readonly queues: PromptQueues;
  readonly scheduled: ScheduledPrompts;
  readonly #waker: QueueWaker;
  readonly hooks: HookSettings;
  readonly #log: Log;
  readonly #timers: NodeJS.Timeout[] = [];

  constructor({ env, places, paths, runner, log, hosts, isSelf, reader }: DaemonOptions) {
    const onProblem = (what: string, error: unknown): void => log.problem(what, error);
    const notes = new NotesFile(places, onProblem);
    this.env = env;
    this.#log = log;
    this.#pushes = new ScheduledPush(places.home, log);
    this.#vaultSyncs = new ScheduledVaultSync(env, new BackgroundCommand(env, log));
    this.#indexing = new ScheduledIndexing(new BackgroundCommand(env, log));
    this.runnerHash = runnerHash(runner);
    this.sockets = new LocalRunners(places);
    const words = new ConversationNotifier((id) => this.sockets.socketPath(id));
    this.#core = new SessionCore({
      runners: this.sockets,
      notes,
      currentRunner: this.runnerHash,
      onArrival: (id, meta) => this.attention.arrived(id, meta),
      onEvent: (id, event) => {
        this.attention.heard(id, event);
        if (event.name === "activity") this.events.activity(id);
      },
      onUnclear: (found, ids) => this.#witness.ask(found, ids),
      onWritten: (id, word) => words.tell(id, word),
      isElsewhere: ({ agent, sessionId }) =>
        this.#statuses.list().some(({ file }) => isWrittenElsewhere(file, agent, sessionId)),
    });
    const { store, register, discovery, ends, dismissed, conversations } = this.#core;
    this.store = store;
    this.register = register;
    this.ends = ends;
    this.events = new DaemonEvents(store);
    const onChange = (): void => this.events.topicChanged("projects-update");
    this.projects = new Projects(paths.projects, store, { onChange, onProblem });
    this.events.addTopic("projects-update", () => this.projects.answer());
    this.login = new LoginEnvironment(env);
    this.hooks = new HookSettings(env, this.login);
    const { registry, login } = this;
    const beforeResume = async (agent: string, sessionId: string): Promise<void> => {
      if (conversations.get(agent, sessionId)?.inVault !== true) return;
      for await (const _ of this.files.read({ kind: "restore", session: { agent, sessionId } }));
    };
    this.launcher = new Launcher({ places, env, registry, store, register, login, runner, discovery, beforeResume });
    this.resumes = new SessionReviver(store, register, this.launcher, ends, dismissed);
    const copies = new ForkCopies(join(places.home, "forks"), (request) => this.files.read(request), login);
    this.opener = new ConversationOpener({
      store,
      conversations,
      resumes: this.resumes,
      launcher: this.launcher,
      copies,
    });
    this.pastes = new Pastes(places, store);
    this.terminals = new Terminals(places, store);
    this.runners = new RunnerCalls(places, store, notes);
    this.answers = new Answers(places, this.runners);
    const resets = (agent: string, session: string | undefined, now: number): NextReset =>
      nextReset(places.home, agent, session, now);
    this.#waker = new QueueWaker({ places, store, resumes: this.resumes, nextReset: resets, onProblem });
    this.queues = new PromptQueues(places, store, () => this.#lookAtQueues());
    this.scheduled = new ScheduledPrompts({
      places,
      launch: (request, id) => this.launcher.launch(request, id),
      check: async ({ agent, cwd }) => {
        await registry.get(agent);
        await this.launcher.checkDirectory(cwd);
      },
      nextReset: resets,
      onWaiting: () => this.#lookAtQueues(),
      onProblem,
    });
    this.#statuses = new StatusStore(statusDirectory(env));
    const git = new GitCache();
    const snoozes = new SnoozeFile(join(places.home, "snoozed.json"));
    this.details = new Details({
      git,
      snoozes,
      runners: this.runners,
      statuses: this.#statuses,
      costOf: (session) => costOf(this.files, session),
    });
    this.#facts = new StatusFacts({
      statuses: this.#statuses,
      git,
      mainAgent: MAIN_AGENT,
      record: (id) => store.record(id),
      costOf: (session) => costOf(this.files, session),
      pbiOf: (cwd) => this.#pbis.get(resolve(cwd)),
    });
    const ask = (id: string): Promise<SessionMeta | undefined> => this.runners.meta(id).catch(() => undefined);
    const { channels, notifier } = notificationsFor({ env, home: places.home, file: paths.notify, hosts, onProblem });
    this.channels = channels;
    this.attention = new Attention({
      store,
      ask,
      stored: (id) => this.sockets.stored(id)?.meta,
      onChange: () => this.events.topicChanged("attention"),
      onOwnChange: () => this.events.ownTopicChanged("attention"),
      snoozes,
      others: () => this.#tmuxSessions(),
      budgets: (now) => readWarnings(places.home, now),
      conflicts: () => this.#conflicts.list(),
      held: () => {
        const records = [...store.records()].filter(({ queue_held = 0 }) => queue_held > 0);
        return heldPrompts(
          places,
          records.map((record) => ({ meta: record, alive: record.alive })),
        );
      },
      remote: () => this.peers.attention(),
      notifier,
    });
    this.events.addTopic("attention", () => this.attention.list());
    this.events.addOwnTopic("attention", () => this.attention.ownList());
    this.files = new FileService(env, { onNews: (news) => this.#filesNews(news), onProblem }, { first: reader });
    const read = this.files.read.bind(this.files);
    this.shares = new ShareLinks({ home: places.home, read, login, onProblem });
    this.budgets = new BudgetWatch({ env, files: this.files });
    this.#conflicts = new ConflictWatch({
      home: places.home,
      store,
      files: this.files,
      onChange: () => this.attention.othersChanged(),
    });
    this.#witness = new ScreenComparison({
      screen: async (id) => (await this.runners.text(id, WITNESS_LINES)).text,
      lastWords: (found) => lastMessagesOf(this.files, found),
      onSeen: (found, id) => this.#core.seenOnScreen(found, id),
      onUnseen: (found) => this.#core.seenOnNoScreen(found),
    });
    this.relay = new TerminalRelay(onProblem);
    const noteLinks = linkLog(log);
    this.peers = new Peers({
      file: new PeerFile(paths.peers),
      store,
      socketDirectory: socketDirectory(places),
      vars: env.vars,
      isSelf,
      onStatus: () => {
        this.events.topicChanged("peer-status");
        noteLinks(this.peers.list());
      },
      onActivity: (id) => this.events.activity(id),
      onConversation: (peer, unifiedId) => this.events.conversationChanged(unifiedId, peer),
      onAttention: () => this.attention.othersChanged(),
      onProblem,
    });
    this.events.addTopic("peer-status", () => this.peers.list());
    this.#followFiles();
  }

  /** Resolves when every running or recorded session is in the store. */
  async start(): Promise<void> {
    const { discovery, scanner } = this.#core;
    await discovery.look();
    this.#conflicts.begin();
    await this.attention.begin();
    this.peers.start();
    this.#every(DISCOVERY_INTERVAL_MS, "looking for sessions", () => discovery.look());
    this.#every(RESTORED_WITHIN_MS, "deleting dismissed sessions", async () => this.sockets.clearForgotten(Date.now()));
    const lookAtProjects = async (): Promise<void> => {
      const sessions = withStatusFiles(this.attention.views(), this.#statuses.list(), Date.now());
      const snapshots = await snapshotsOf(this.files, sessions);
      for (const { dir, current_pbi } of snapshots) this.#pbis.set(dir, current_pbi ?? null);
    };
    // Events from before the daemon's start are reported at once, in the background.
    this.#nowAndEvery(PROJECTS_INTERVAL_MS, "checking projects", lookAtProjects);
    this.#nowAndEvery(PUSH_LOOK_INTERVAL_MS, "pushing to the archive", () => this.#pushes.look());
    this.#every(PUSH_LOOK_INTERVAL_MS, "copying sessions into the vault", () => this.#vaultSyncs.look());
    this.#every(INDEXING_LOOK_INTERVAL_MS, "indexing sessions", () => this.#indexing.look());
    this.#every(PUSH_LOOK_INTERVAL_MS, "closing share links", async () => this.shares.dropExpired());
    this.#nowAndEvery(BUDGETS_INTERVAL_MS, "checking budgets", () => this.budgets.look());
    // Agents' files name limits that nobody may look at for days.
    this.#every(LIMITS_INTERVAL_MS, "keeping limits", async () => {
      if (this.attention.views().length > 0) await limitsFrom(this.files);
    });
    this.#lookAtQueues();
    this.#timers.push(setInterval(() => this.#lookAtQueues(), QUEUES_INTERVAL_MS));
    this.#every(CONFLICTS_INTERVAL_MS, "looking for conflicts", () => this.#conflicts.look());
    this.#every(SCAN_INTERVAL_MS, "scanning agents' files", async () => {
      await this.files.scan();
      scanner.scan();
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const ended = Promise.all([this.#pushes.close(), this.#vaultSyncs.close(), this.#indexing.close()]);
    this.#waker.close();
    this.register.close();
    this.attention.close();
    this.channels.close();
    this.#witness.close();
    this.relay.close();
    this.peers.close();
    await this.files.close();
    await ended;
  }

  #lookAtQueues(): void {
    const problem = (error: unknown): void => this.#log.problem("looking at queues", error);
    this.scheduled.look().catch(problem);
    this.#waker.look().catch(problem);
  }

  /** Those with a status file. Failures are left to the next look. */
  async #tmuxSessions(): Promise<SessionView[]> {
    const signs = (names: readonly string[]): ReturnType<typeof agentSignals> =>
      agentSignals(this.registry, this.env, names);
    const files = this.#statuses.list();
    this.#facts.look(files).catch((error: unknown) => this.#log.problem("writing git facts to status files", error));
    try {
      return await tmuxViews(files, { main: MAIN_AGENT, signs }, Date.now());
    } catch (error) {
      this.#log.problem("status files", error);
      return [];
    }
  }

  #filesNews(news: FilesUpdate): void {
    this.#core.filesNews(news);
    if (news.first) return;
    this.#indexing.changed();
    for (const { agent, sessionId } of news.changed) {
      this.events.conversationChanged(joinUnifiedId(agent, sessionId));
      this.#conflicts.changed(agent, sessionId);
    }
  }

  /** Agents with a running session are followed closely. */
  #followFiles(): void {
    let followed = "";
    this.store.onChange(({ before, after }) => {
      if ((before?.alive ?? false) === (after?.alive ?? false) && before?.agent === after?.agent) return;
      const agents = new Set([...this.store.liveRecords()].map((record) => programOf(record).agent));
      const names = [...agents].sort();
      if (names.join() === followed) return;
      followed = names.join();
      this.files.follow(names);
    });
  }

  #nowAndEvery(intervalMs: number, what: string, work: () => Promise<void>): void {
    this.#every(intervalMs, what, work)();
  }

  #every(intervalMs: number, what: string, work: () => Promise<void>): () => void {
    const run = (): void => void work().catch((error: unknown) => this.#log.problem(what, error));
    this.#timers.push(setInterval(run, intervalMs));
    return run;
  }
}
