/**
 * Which conversation each session writes, and what the agent calls it. The agent's own word (a hook, the session id it was
 * started with) counts; without one, directory and time decide, and what is on the screen where those leave it open.
 * `/new`, `/resume` and `/clear` inside the agent move a session on to another conversation.
 */
import { HOOK_EVENTS } from "../../agents/hook-events.gen.ts";
import { asObject, asText } from "../../lib/fields.ts";
import { optional } from "../../lib/optional.ts";
import type { RunnerEvent, SessionMeta, WrittenConversation } from "../../protocol/runner-api.ts";
import type { Conversation, FilesChange, SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import { candidatesFor, guess, isNamedIn, suspects } from "./attribution.ts";
import type { Conversations } from "./conversations.ts";
import type { FilesNews, FoundConversation } from "./found-conversation.ts";
import type { NoteBook } from "./session-notes.ts";

/** One of these sessions may be writing the conversation, and nothing else tells which. */
export type OnUnclear = (found: FoundConversation, ids: readonly string[]) => void;

/** What a live session writes has changed, or is another one. */
export type OnWritten = (id: string, word: WrittenConversation) => void;

export class FileMonitor {
  readonly #store: SessionStore;
  readonly #conversations: Conversations;
  readonly #notes: NoteBook;
  readonly #onUnclear: OnUnclear;
  readonly #onWritten: OnWritten;
  /** Sessions that named a conversation whose file has not been seen yet. */
  readonly #awaited = new Map<string, string>();

  constructor(
    store: SessionStore,
    conversations: Conversations,
    notes: NoteBook,
    { onUnclear, onWritten }: { onUnclear: OnUnclear; onWritten: OnWritten },
  ) {
    this.#store = store;
    this.#conversations = conversations;
    this.#notes = notes;
    this.#onUnclear = onUnclear;
    this.#onWritten = onWritten;
  }

  /** A runner came: what it was started with, or what was learnt about it before. */
  arrived(id: string, meta: SessionMeta): void {
    const notes = this.#notes.read(id);
    if (notes.resume_key !== undefined && notes.incarnation === meta.incarnation) this.#recall(id);
    else if (meta.resume_key !== undefined) this.#assign(id, meta.resume_key, "launch");
    else this.#readCommand(id, meta);
    // What its hooks said before we listened.
    for (const report of meta.reports) this.heard(id, { name: "report", data: report });
    // An empty title never overwrites one that is known.
    if (meta.adapter_title && this.#store.record(id)?.adapter_title === undefined) {
      this.#store.upsert("files", id, { adapter_title: meta.adapter_title });
    }
  }

  /** A session was found dead on disk. */
  recall(id: string, meta: SessionMeta): void {
    if (this.#notes.read(id).resume_key !== undefined) this.#recall(id);
    else if (meta.resume_key !== undefined) this.#assign(id, meta.resume_key, "launch");
  }

  heard(id: string, event: RunnerEvent): void {
    const record = this.#store.record(id);
    if (record === undefined) return;
    const title = event.name === "meta" ? asText(event.data.adapter_title) : undefined;
    if (title !== undefined) this.#store.upsert("files", id, { adapter_title: title });
    const key = namedIn(event, record.kind);
    if (key === undefined || (key === record.resume_key && record.conversation?.by === "hook")) return;
    // Something else that runs inside this session may have hooks of its own; its sessions are not in this store.
    if (this.#conversations.get(record.kind, key) !== undefined) this.#assign(id, key, "hook");
    else this.#awaited.set(id, key);
  }

  /** The conversation's last words were read in the session's terminal. */
  seen({ agent, sessionId }: FoundConversation, id: string): void {
    const owner = this.#store.withKey(agent, sessionId);
    const isHeld = owner !== undefined && this.#store.record(owner)?.alive === true;
    if (!isHeld && this.#store.record(id)?.alive === true) this.#assign(id, sessionId, "screen");
  }

  /** Files changed. `conversations` has taken them already. */
  news({ agent, changed }: FilesNews): void {
    // The first look brings thousands of old conversations; only those of live sessions' directories are looked at.
    const live = [...this.#store.liveRecords()].filter(({ kind }) => kind === agent);
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
      if (key !== found.sessionId || this.#store.record(id)?.kind !== found.agent) continue;
      this.#awaited.delete(id);
      this.#assign(id, key, "hook");
    }
    this.#assignByCommand(found);
    const owner = this.#store.withKey(found.agent, found.sessionId);
    if (owner !== undefined && this.#store.record(owner)?.alive === true) return this.#refresh(owner, found);
    if (found.hidden) return;
    const current = ({ kind, resume_key }: Readonly<SessionRecord>): FoundConversation | undefined =>
      resume_key === undefined ? undefined : this.#conversations.get(kind, resume_key);
    const candidates = candidatesFor(found, this.#store.liveRecords(), current);
    const writer = guess(found, candidates);
    if (writer !== undefined) return this.#assign(writer, found.sessionId, "directory");
    const unclear = suspects(found, candidates);
    if (unclear.length > 0) this.#onUnclear(found, unclear);
  }

  /** What it was started on, if that lies in the store already. */
  #readCommand(id: string, { kind, command }: SessionMeta): void {
    for (const word of command.slice(1)) {
      const key = word.slice(word.indexOf("=") + 1);
      const found = this.#conversations.get(kind, key) ?? this.#conversations.at(kind, key);
      if (found !== undefined && isNamedIn(command, found)) return this.#assign(id, found.sessionId, "command");
    }
  }

  /** A conversation that came to light later than the session whose command names it. */
  #assignByCommand(found: FoundConversation): void {
    for (const { id, kind, command, resume_key, conversation } of [...this.#store.liveRecords()]) {
      if (kind !== found.agent || conversation?.how === "told" || !isNamedIn(command, found)) continue;
      const current = resume_key === undefined ? undefined : this.#conversations.get(kind, resume_key);
      // It went on to another one since.
      if (current !== undefined && current.createdMs > found.createdMs) continue;
      this.#assign(id, found.sessionId, "command");
    }
  }

  /** From here on the session writes this conversation. */
  #assign(id: string, key: string, by: Conversation["by"]): void {
    const record = this.#store.record(id);
    if (record === undefined) return;
    const found = this.#conversations.get(record.kind, key);
    const isSame = record.resume_key === key;
    const change: FilesChange = {
      resume_key: key,
      conversation: {
        how: by === "directory" || by === "screen" ? "guessed" : "told",
        by,
        ...optional("path", found?.path ?? (isSame ? record.conversation?.path : undefined)),
      },
      // Another conversation has another title, or none yet.
      adapter_title: found?.title || (isSame || record.resume_key === undefined ? record.adapter_title : undefined),
      resume_command: found?.resumeCommand ?? (isSame ? record.resume_command : undefined),
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
      resume_command: found.resumeCommand,
      conversation: { how, by, path: found.path },
    });
    if (isNews) this.#note(id);
    // A hook has told the runner where the agent writes, and tells what it does there.
    if (isNews || by !== "hook") this.#tell(id);
  }

  #tell(id: string): void {
    const record = this.#store.record(id);
    // Another session of the same conversation may have taken its place.
    if (record === undefined || !record.alive) return;
    const { adapter_title: title = "", conversation } = record;
    const transcript = conversation?.by === "hook" ? undefined : conversation?.path;
    this.#onWritten(id, { title, ...optional("transcript", transcript) });
  }

  #recall(id: string): void {
    const { resume_key, adapter_title, conversation } = this.#notes.read(id);
    const kind = this.#store.record(id)?.kind;
    const found = kind === undefined ? undefined : this.#conversations.get(kind, resume_key!);
    this.#store.upsert("files", id, {
      resume_key,
      conversation,
      adapter_title: found?.title || adapter_title,
      resume_command: found?.resumeCommand,
    });
  }

  #note(id: string): void {
    const record = this.#store.record(id);
    if (record?.incarnation === undefined) return;
    const { incarnation, resume_key, adapter_title, conversation } = record;
    this.#notes.write(id, {
      incarnation,
      ...optional("resume_key", resume_key),
      ...optional("adapter_title", adapter_title),
      ...optional("conversation", conversation),
    });
  }
}

/** The agent's session that a hook spoke for; not a sub-agent's. */
function namedIn(event: RunnerEvent, kind: string): string | undefined {
  if (event.name === "report") return event.data.scope === undefined ? asText(event.data.session) : undefined;
  if (event.name !== "hook") return undefined;
  const payload = asObject(event.data);
  if (payload === undefined || payload["scope"] !== undefined || payload["agent_id"] !== undefined) return undefined;
  return asText(payload["session"]) ?? HOOK_EVENTS[kind]?.read(payload, undefined, {})?.session;
}
