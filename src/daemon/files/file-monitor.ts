/**
 * Which conversation each session writes, and its title. A hook or launch id decides; otherwise directory and time, or the
 * screen. `/new`, `/resume` and `/clear` move a session to another conversation.
 */
import { HOOK_EVENTS } from "../../agents/hook-events.gen.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { RunnerEvent, SessionMeta, WrittenConversation } from "../../protocol/runner-api.ts";
import { programOf, type Conversation, type FilesChange, type SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import { candidatesFor, guess, isNamedIn, nearest, suspects, type Candidate } from "./attribution.ts";
import type { Conversations } from "./conversations.ts";
import type { FilesUpdate, FoundConversation } from "./found-conversation.ts";
import type { NotesStore } from "./session-notes.ts";

/** One of these sessions may write the conversation: their screens decide. */
export type OnAmbiguous = (found: FoundConversation, ids: readonly string[]) => void;

/** A running session's conversation changed, or is another one. */
export type OnConversationChange = (id: string, word: WrittenConversation) => void;

export interface FileMonitorParts {
  onUnclear: OnAmbiguous;
  onWritten: OnConversationChange;
  /** A status file says that a session outside of amux writes it. */
  isElsewhere: (found: FoundConversation) => boolean;
}

export class FileMonitor {
  readonly #store: SessionStore;
  readonly #conversations: Conversations;
  readonly #notes: NotesStore;
  readonly #onUnclear: OnAmbiguous;
  readonly #onWritten: OnConversationChange;
  readonly #isElsewhere: (found: FoundConversation) => boolean;
  /** Sessions whose named conversation has no file yet. */
  readonly #awaited = new Map<string, string>();

  constructor(
    store: SessionStore,
    conversations: Conversations,
    notes: NotesStore,
    { onUnclear, onWritten, isElsewhere }: FileMonitorParts,
  ) {
    this.#store = store;
    this.#conversations = conversations;
    this.#notes = notes;
    this.#onUnclear = onUnclear;
    this.#onWritten = onWritten;
    this.#isElsewhere = isElsewhere;
  }

  /** A runner registered: uses its launch data, or what was learnt before. */
  arrived(id: string, meta: SessionMeta): void {
    if (this.#isNoted(id) && this.#notes.read(id).incarnation === meta.incarnation) this.#recall(id);
    else if (meta.resume_key !== undefined)
      this.#assign(id, meta.resume_key, meta.agent === undefined ? "launch" : "directory");
    else this.#readCommand(id);
    // Reports from before we subscribed.
    for (const report of meta.reports) this.heard(id, { name: "report", data: report });
    // An empty title never replaces a known one.
    if (meta.adapter_title && this.#store.record(id)?.adapter_title === undefined) {
      this.#store.upsert("files", id, { adapter_title: meta.adapter_title });
    }
  }

  /** An ended session was found on disk. */
  recall(id: string, meta: SessionMeta): void {
    if (this.#isNoted(id)) this.#recall(id);
    else if (meta.resume_key !== undefined && meta.agent === undefined) this.#assign(id, meta.resume_key, "launch");
  }

  heard(id: string, event: RunnerEvent): void {
    const record = this.#store.record(id);
    if (record === undefined) return;
    const title = event.name === "meta" ? asText(event.data.adapter_title) : undefined;
    if (title !== undefined) this.#store.upsert("files", id, { adapter_title: title });
    if (event.name === "meta" && event.data.agent !== undefined) this.#agentChanged(id);
    const { agent } = programOf(record);
    const key = namedIn(event, agent);
    if (key === undefined || (key === record.resume_key && record.conversation?.by === "hook")) return;
    // Another program in this session may have its own hooks; its sessions are not in this store.
    if (this.#conversations.get(agent, key) !== undefined) this.#assign(id, key, "hook");
    else this.#awaited.set(id, key);
  }

  /** The session ended: a conversation of an agent inside it stands alone again. */
  ended(id: string): void {
    if (this.#store.record(id)?.agent !== undefined) this.#leave(id);
  }

  /** An agent started or left in a shell. */
  #agentChanged(id: string): void {
    const record = this.#store.record(id);
    if (record === undefined || record.kind === programOf(record).agent) return this.ended(id);
    const { agent, cwd, startedMs } = programOf(record);
    const current = record.resume_key === undefined ? undefined : this.#conversations.get(agent, record.resume_key);
    const isAnothers = record.conversation?.by !== "hook" && (current?.updatedMs ?? 0) < startedMs;
    if (record.resume_key !== undefined && (record.agent !== agent || isAnothers)) this.#leave(id);
    this.#readCommand(id);
    const key = this.#awaited.get(id);
    if (key !== undefined && this.#conversations.get(agent, key) !== undefined) {
      this.#awaited.delete(id);
      this.#assign(id, key, "hook");
    }
    // Its first records may be older than its discovery.
    const begun = cwd === undefined ? [] : this.#conversations.since(agent, cwd, startedMs);
    for (const found of begun) this.#changed(found);
  }

  #leave(id: string): void {
    this.#awaited.delete(id);
    const nothing = { resume_key: undefined, agent: undefined, conversation: undefined };
    this.#store.upsert("files", id, { ...nothing, adapter_title: undefined, resume_command: undefined });
    this.#note(id);
    this.#tell(id);
  }

  /** The conversation's last text was found on the session's screen. */
  seen(found: FoundConversation, id: string): void {
    if (this.#writerOf(found) === undefined && this.#store.record(id)?.alive === true)
      this.#assign(id, found.sessionId, "screen");
  }

  /** The conversation's last text is on no screen, or on several. */
  unseen(found: FoundConversation): void {
    if (this.#writerOf(found) !== undefined || this.#isElsewhere(found)) return;
    const writer = nearest(found, this.#candidates(found));
    if (writer !== undefined) this.#assign(writer, found.sessionId, "directory");
  }

  /** Files changed. `conversations` is already updated. */
  news({ agent, changed }: FilesUpdate): void {
    // The first look brings thousands of old conversations; only those in running sessions' directories matter.
    const live = [...this.#store.liveRecords()].map(programOf).filter((program) => program.agent === agent);
    const places = new Set<string | undefined>(live.map(({ cwd }) => cwd));
    const awaited = new Set(this.#awaited.values());
    const commands = live.map(({ command }) => command).filter((command) => command.length > 1);
    for (const found of changed) {
      const { sessionId } = found;
      const isOurs = awaited.has(sessionId) || this.#store.withKey(agent, sessionId) !== undefined;
      const isNear = places.has(found.cwd) || commands.some((command) => isNamedIn(command, found));
      if (isOurs || isNear) this.#changed(found);
    }
  }

  #changed(found: FoundConversation): void {
    for (const [id, key] of this.#awaited) {
      const record = this.#store.record(id);
      if (key !== found.sessionId || record === undefined || programOf(record).agent !== found.agent) continue;
      this.#awaited.delete(id);
      this.#assign(id, key, "hook");
    }
    this.#assignByCommand(found);
    const known = this.#writerOf(found);
    if (known !== undefined) return this.#refresh(known, found);
    if (found.hidden || found.archived === true) return;
    if (this.#isElsewhere(found)) return;
    const candidates = this.#candidates(found);
    const writer = guess(found, candidates);
    if (writer !== undefined) return this.#assign(writer, found.sessionId, "directory");
    const unclear = suspects(found, candidates);
    if (unclear.length > 0) this.#onUnclear(found, unclear);
  }

  /** The conversation from its command line, if it is in the store already. */
  #readCommand(id: string): void {
    const record = this.#store.record(id);
    if (record === undefined) return;
    const { agent, command } = programOf(record);
    for (const word of command.slice(1)) {
      const key = word.slice(word.indexOf("=") + 1);
      const found = this.#conversations.get(agent, key) ?? this.#conversations.at(agent, key);
      if (found !== undefined && isNamedIn(command, found)) return this.#assign(id, found.sessionId, "command");
    }
  }

  /** A conversation discovered after the session whose command names it. */
  #assignByCommand(found: FoundConversation): void {
    for (const record of [...this.#store.liveRecords()]) {
      const { agent, command } = programOf(record);
      if (agent !== found.agent || record.conversation?.how === "told" || !isNamedIn(command, found)) continue;
      const current = this.#current(record);
      // It has moved to another one since.
      if (current !== undefined && current.createdMs > found.createdMs) continue;
      this.#assign(record.id, found.sessionId, "command");
    }
  }

  /** The running session that writes it, if that is known. */
  #writerOf({ agent, sessionId }: FoundConversation): string | undefined {
    const owner = this.#store.withKey(agent, sessionId);
    return owner !== undefined && this.#store.record(owner)?.alive === true ? owner : undefined;
  }

  #candidates(found: FoundConversation): Candidate[] {
    return candidatesFor(found, this.#store.liveRecords(), (record) => this.#current(record));
  }

  #current(record: Readonly<SessionRecord>): FoundConversation | undefined {
    const { resume_key } = record;
    return resume_key === undefined ? undefined : this.#conversations.get(programOf(record).agent, resume_key);
  }

  /** The session writes this conversation from now on. */
  #assign(id: string, key: string, by: Conversation["by"]): void {
    const record = this.#store.record(id);
    if (record === undefined) return;
    const { agent } = programOf(record);
    const found = this.#conversations.get(agent, key);
    const isSame = record.resume_key === key;
    const isInner = agent !== record.kind;
    const change: FilesChange = {
      resume_key: key,
      agent: isInner ? agent : undefined,
      conversation: {
        how: by === "directory" || by === "screen" ? "guessed" : "told",
        by,
        ...optional("path", found?.path ?? (isSame ? record.conversation?.path : undefined)),
      },
      // Another conversation has another title, or none yet.
      adapter_title: found?.title || (isSame || record.resume_key === undefined ? record.adapter_title : undefined),
      // A shell is revived as a shell; its agent's conversation is resumed separately.
      resume_command: isInner ? undefined : (found?.resumeCommand ?? (isSame ? record.resume_command : undefined)),
    };
    this.#store.upsert("files", id, change);
    this.#note(id);
    this.#tell(id);
  }

  #refresh(id: string, found: FoundConversation): void {
    const record = this.#store.record(id)!;
    const { how, by } = record.conversation ?? { how: "told" as const, by: "launch" as const };
    const title = found.title || record.adapter_title;
    const isNews = title !== record.adapter_title || record.conversation?.path !== found.path;
    this.#store.upsert("files", id, {
      adapter_title: title,
      ...(record.agent === undefined ? { resume_command: found.resumeCommand } : {}),
      conversation: { how, by, path: found.path },
    });
    if (isNews) this.#note(id);
    // With hooks, the runner already knows the file and its state.
    if (isNews || by !== "hook") this.#tell(id);
  }

  #tell(id: string): void {
    const record = this.#store.record(id);
    // Another session of the same conversation may have replaced it.
    if (record === undefined || !record.alive) return;
    const { adapter_title: title = "", conversation } = record;
    const transcript = conversation?.by === "hook" ? undefined : conversation?.path;
    const session = record.agent === undefined ? undefined : record.resume_key;
    this.#onWritten(id, { title, ...optional("transcript", transcript), ...optional("session", session) });
  }

  /** Whether the recorded conversation is still the session's. */
  #isNoted(id: string): boolean {
    const record = this.#store.record(id);
    const { resume_key, agent } = this.#notes.read(id);
    return record !== undefined && resume_key !== undefined && (agent ?? record.kind) === programOf(record).agent;
  }

  #recall(id: string): void {
    const { resume_key, agent, adapter_title, conversation } = this.#notes.read(id);
    const record = this.#store.record(id);
    const found = record === undefined ? undefined : this.#conversations.get(programOf(record).agent, resume_key!);
    this.#store.upsert("files", id, {
      resume_key,
      agent,
      conversation,
      adapter_title: found?.title || adapter_title,
      resume_command: agent === undefined ? found?.resumeCommand : undefined,
    });
  }

  #note(id: string): void {
    const record = this.#store.record(id);
    if (record?.incarnation === undefined) return;
    const { incarnation, resume_key, agent, adapter_title, conversation } = record;
    this.#notes.write(id, { incarnation, resume_key, agent, adapter_title, conversation });
  }
}

/** The agent session that a hook reported for; not a sub-agent's. */
function namedIn(event: RunnerEvent, kind: string): string | undefined {
  if (event.name === "report") return event.data.scope === undefined ? asText(event.data.session) : undefined;
  if (event.name !== "hook") return undefined;
  const payload = asObject(event.data);
  if (payload === undefined || payload["scope"] !== undefined || payload["agent_id"] !== undefined) return undefined;
  return asText(payload["session"]) ?? HOOK_EVENTS[kind]?.read(payload, undefined, {})?.session;
}
