/**
 * The heart of the daemon: the store and everything that writes to it, tied together. What the machine says comes in
 * through `runners`, `notes` and `filesNews`, so that all of it can be run against a simulated machine as well.
 */
import type { MuxSession } from "../protocol/mux-session.ts";
import type { RunnerEvent, SessionMeta } from "../protocol/runner-api.ts";
import { conversationOf } from "../client/conversation.ts";
import { Dismissed } from "./actions/dismissed.ts";
import { Ends } from "./actions/end-sessions.ts";
import { Conversations } from "./files/conversations.ts";
import { FileMonitor, type FileMonitorParts, type OnUnclear, type OnWritten } from "./files/file-monitor.ts";
import type { FilesNews, FoundConversation } from "./files/found-conversation.ts";
import { Scanner } from "./files/scanner.ts";
import type { NoteBook, SessionNotes } from "./files/session-notes.ts";
import { Discovery } from "./live/discovery.ts";
import { Register } from "./live/register.ts";
import type { Runners } from "./live/runners.ts";
import type { Workspaces } from "./projects/workspaces.ts";
import { SessionStore } from "./store/store.ts";

export interface SessionCoreParts {
  runners: Runners;
  notes: NoteBook;
  workspaces: Pick<Workspaces, "of">;
  /** Hash of the runner that new sessions get. */
  currentRunner: string | undefined;
  /** What runners say, for those who do not write to the store. */
  onArrival(id: string, meta: SessionMeta): void;
  onEvent(id: string, event: RunnerEvent): void;
  /** For whoever can look at the sessions' screens; `seenOnScreen` takes the answer. */
  onUnclear: OnUnclear;
  /** For whoever can tell the session's runner. */
  onWritten: OnWritten;
  isElsewhere: FileMonitorParts["isElsewhere"];
}

export class SessionCore {
  readonly store: SessionStore;
  readonly dismissed = new Dismissed();
  readonly register: Register;
  readonly discovery: Discovery;
  readonly ends: Ends;
  readonly scanner: Scanner;
  readonly conversations = new Conversations();
  readonly #monitor: FileMonitor;
  /** Conversations that a session has just left. */
  readonly #left = new Map<string, { agent: string; sessionId: string }>();

  constructor(parts: SessionCoreParts) {
    const { runners, notes, workspaces, currentRunner, onArrival, onEvent, onUnclear, onWritten, isElsewhere } = parts;
    const { dismissed } = this;
    const store = new SessionStore(currentRunner);
    const monitor = new FileMonitor(store, this.conversations, notes, { onUnclear, onWritten, isElsewhere });
    const register = new Register(store, runners, notes, {
      onArrival: (id, meta) => {
        this.discovery.arrived(id);
        monitor.arrived(id, meta);
        if (wasRead(meta, notes.read(id))) store.upsert("runner", id, { unread: false });
        onArrival(id, meta);
      },
      onEvent: (id, event) => {
        monitor.heard(id, event);
        onEvent(id, event);
      },
    });
    this.store = store;
    this.register = register;
    this.#monitor = monitor;
    this.scanner = new Scanner({ store, dismissed, workspaces, runners, conversations: this.conversations });
    store.onChange(({ id, before, after }) => {
      // A URL that was given out is good after a restart, too.
      if (after?.slug !== undefined && after.slug !== before?.slug) keepSlug(store, notes, id, after.slug);
      // While it lived, one that ended later than it may have had to stand back.
      if (before?.alive === true && after?.alive === false) {
        this.discovery.rereadSoon();
        monitor.ended(id);
      }
      if (before?.resume_key === undefined || conversationOf(before) === (after && conversationOf(after))) return;
      if (before.peer === undefined) this.#leave(before);
    });
    this.ends = new Ends(runners, store, register, dismissed);
    this.discovery = new Discovery({
      store,
      runners,
      notes,
      register,
      dismissed,
      onStored: (id, meta) => {
        monitor.recall(id, meta);
        // It went without a word: what it was doing then is told as if it were here.
        if (meta.alive) onArrival(id, meta);
        if (wasRead(meta, notes.read(id))) store.upsert("runner", id, { unread: false });
      },
    });
  }

  /** Once for all that are left in this turn, and after whoever dismissed the session has said so. */
  #leave({ kind, agent = kind, resume_key: sessionId = "" }: MuxSession): void {
    if (this.#left.size === 0) queueMicrotask(() => this.#showLeft());
    this.#left.set(JSON.stringify([agent, sessionId]), { agent, sessionId });
  }

  /** An earlier session of the same conversation may lie on disk; if none does, the conversation itself is shown. */
  #showLeft(): void {
    const names = [...this.#left.values()];
    this.#left.clear();
    // What was put away stays away, earlier sessions of it too.
    const shown = names.filter(({ agent, sessionId }) => !this.dismissed.hasConversation(agent, sessionId));
    if (shown.length === 0) return;
    this.discovery.rereadStored();
    this.scanner.released(shown);
  }

  seenOnScreen(found: FoundConversation, id: string): void {
    this.#monitor.seen(found, id);
  }

  filesNews(news: FilesNews): void {
    this.conversations.take(news);
    this.#monitor.news(news);
    this.scanner.news(news);
    // What was there before us is shown at once; what comes later has time until the next scan.
    if (news.first) this.scanner.scan();
  }
}

/** Whether the user has seen what the session's process left when it ended. */
function wasRead(meta: SessionMeta, { incarnation, read_token }: SessionNotes): boolean {
  return !meta.alive && incarnation === meta.incarnation && read_token === meta.unread_token;
}

/** Only for sessions that had a process; the others get the same slug again from their conversation. */
function keepSlug(store: SessionStore, notes: NoteBook, id: string, slug: string): void {
  const record = store.record(id);
  if (record?.incarnation !== undefined && record.kept_slug !== slug) notes.write(id, { slug });
}
