/**
 * The store and everything that writes to it. The machine's data comes in through `runners`, `notes` and `filesNews`, so that it
 * also runs against a simulated machine.
 */
import type { MuxSession } from "../protocol/mux-session.ts";
import type { RunnerEvent, SessionMeta } from "../protocol/runner-api.ts";
import { conversationOf } from "../client/conversation.ts";
import { Dismissed } from "./actions/dismissed.ts";
import { SessionEnder } from "./actions/end-sessions.ts";
import { Conversations } from "./files/conversations.ts";
import {
  FileMonitor,
  type FileMonitorParts,
  type OnAmbiguous,
  type OnConversationChange,
} from "./files/file-monitor.ts";
import type { FilesUpdate, FoundConversation } from "./files/found-conversation.ts";
import { Scanner } from "./files/scanner.ts";
import type { NotesStore, SessionNotes } from "./files/session-notes.ts";
import { Discovery } from "./live/discovery.ts";
import { Register } from "./live/register.ts";
import type { Runners } from "./live/runners.ts";
import { SessionStore } from "./store/store.ts";

export interface SessionCoreParts {
  runners: Runners;
  notes: NotesStore;
  /** Hash of the runner for new sessions. */
  currentRunner: string | undefined;
  /** Runner events, for parts that do not write to the store. */
  onArrival(id: string, meta: SessionMeta): void;
  onEvent(id: string, event: RunnerEvent): void;
  /** Asks for a look at the screens; `seenOnScreen` or `seenOnNoScreen` takes the result. */
  onUnclear: OnAmbiguous;
  /** Tells the session's runner. */
  onWritten: OnConversationChange;
  isElsewhere: FileMonitorParts["isElsewhere"];
}

export class SessionCore {
  readonly store: SessionStore;
  readonly dismissed = new Dismissed();
  readonly register: Register;
  readonly discovery: Discovery;
  readonly ends: SessionEnder;
  readonly scanner: Scanner;
  readonly conversations = new Conversations();
  readonly #monitor: FileMonitor;
  /** Conversations that a session has just left. */
  readonly #left = new Map<string, { agent: string; sessionId: string }>();

  constructor(parts: SessionCoreParts) {
    const { runners, notes, currentRunner, onArrival, onEvent, onUnclear, onWritten, isElsewhere } = parts;
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
    this.scanner = new Scanner({ store, dismissed, runners, conversations: this.conversations });
    store.onChange(({ id, before, after }) => {
      // A published URL must work after a restart too.
      if (after?.slug !== undefined && after.slug !== before?.slug) keepSlug(store, notes, id, after.slug);
      // While it ran, an ended session of the same conversation was hidden.
      if (before?.alive === true && after?.alive === false) {
        this.discovery.rereadSoon();
        monitor.ended(id);
      }
      if (before?.resume_key === undefined || conversationOf(before) === (after && conversationOf(after))) return;
      if (before.peer === undefined) this.#leave(before);
    });
    this.ends = new SessionEnder(runners, store, register, dismissed, (record) => {
      this.discovery.rereadStored();
      if (record?.resume_key !== undefined)
        this.scanner.released([{ agent: record.kind, sessionId: record.resume_key }]);
    });
    this.discovery = new Discovery({
      store,
      runners,
      notes,
      register,
      dismissed,
      onStored: (id, meta) => {
        monitor.recall(id, meta);
        // It vanished: its last state is reported as if it were running.
        if (meta.alive) onArrival(id, meta);
        if (wasRead(meta, notes.read(id))) store.upsert("runner", id, { unread: false });
      },
    });
  }

  /** Once per turn of the event loop, after a dismissal is recorded. */
  #leave({ kind, agent = kind, resume_key: sessionId = "" }: MuxSession): void {
    if (this.#left.size === 0) queueMicrotask(() => this.#showLeft());
    this.#left.set(JSON.stringify([agent, sessionId]), { agent, sessionId });
  }

  /** Shows an earlier session of the same conversation on disk, or the conversation itself. */
  #showLeft(): void {
    const names = [...this.#left.values()];
    this.#left.clear();
    // Dismissed conversations stay hidden, with their earlier sessions.
    const shown = names.filter(({ agent, sessionId }) => !this.dismissed.hasConversation(agent, sessionId));
    if (shown.length === 0) return;
    this.discovery.rereadStored();
    this.scanner.released(shown);
  }

  seenOnScreen(found: FoundConversation, id: string): void {
    this.#monitor.seen(found, id);
  }

  seenOnNoScreen(found: FoundConversation): void {
    this.#monitor.unseen(found);
  }

  filesNews(news: FilesUpdate): void {
    this.conversations.take(news);
    this.#monitor.news(news);
    this.scanner.news(news);
    // Existing conversations are shown at once; later ones at the next scan.
    if (news.first) this.scanner.scan();
  }
}

/** Whether the user has seen the ended process's result. */
function wasRead(meta: SessionMeta, { incarnation, read_token }: SessionNotes): boolean {
  return !meta.alive && incarnation === meta.incarnation && read_token === meta.unread_token;
}

/** Only for sessions that had a process; others derive the same slug from their conversation. */
function keepSlug(store: SessionStore, notes: NotesStore, id: string, slug: string): void {
  const record = store.record(id);
  if (record?.incarnation !== undefined && record.kept_slug !== slug) notes.write(id, { slug });
}
