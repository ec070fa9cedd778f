/**
 * Which conversation each session writes, and what the agent calls it. The agent's own word (a hook, the session id it was
 * started with) counts; without one, directory and time decide. `/new`, `/resume` and `/clear` inside the agent move a
 * session on to another conversation.
 */
import { HOOK_EVENTS } from "../../agents/hook-events.gen.ts";
import { asObject, asText } from "../../lib/fields.ts";
import { optional } from "../../lib/optional.ts";
import type { RunnerEvent, SessionMeta } from "../../protocol/runner-api.ts";
import type { Conversation, FilesChange, SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import { candidatesFor, guess } from "./attribution.ts";
import type { Conversations } from "./conversations.ts";
import type { FilesNews, FoundConversation } from "./found-conversation.ts";
import type { NoteBook } from "./session-notes.ts";

export class FileMonitor {
  readonly #store: SessionStore;
  readonly #conversations: Conversations;
  readonly #notes: NoteBook;
  /** Sessions that named a conversation whose file has not been seen yet. */
  readonly #awaited = new Map<string, string>();

  constructor(store: SessionStore, conversations: Conversations, notes: NoteBook) {
    this.#store = store;
    this.#conversations = conversations;
    this.#notes = notes;
  }

  /** A runner came: what it was started with, or what was learnt about it before. */
  arrived(id: string, meta: SessionMeta): void {
    const notes = this.#notes.read(id);
    if (notes.resume_key !== undefined && notes.incarnation === meta.incarnation) this.#recall(id);
    else if (meta.resume_key !== undefined) this.#assign(id, meta.resume_key, "told");
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
    else if (meta.resume_key !== undefined) this.#assign(id, meta.resume_key, "told");
  }

  heard(id: string, event: RunnerEvent): void {
    const record = this.#store.record(id);
    if (record === undefined) return;
    if (event.name === "meta" && event.data.adapter_title) {
      this.#store.upsert("files", id, { adapter_title: event.data.adapter_title });
    }
    const key = namedIn(event, record.kind);
    if (key === undefined || key === record.resume_key) return;
    // Something else that runs inside this session may have hooks of its own; its sessions are not in this store.
    if (this.#conversations.get(record.kind, key) !== undefined) this.#assign(id, key, "told");
    else this.#awaited.set(id, key);
  }

  /** Files changed. `conversations` has taken them already. */
  news({ agent, changed }: FilesNews): void {
    // The first look brings thousands of old conversations; only those of live sessions' directories are looked at.
    const places = new Set<string | undefined>();
    for (const { kind, cwd } of this.#store.liveRecords()) if (kind === agent) places.add(cwd);
    const awaited = new Set(this.#awaited.values());
    for (const found of changed) {
      const { sessionId } = found;
      const isOurs = awaited.has(sessionId) || this.#store.withKey(agent, sessionId) !== undefined;
      if (isOurs || places.has(found.cwd)) this.#changed(found);
    }
  }

  #changed(found: FoundConversation): void {
    for (const [id, key] of this.#awaited) {
      if (key !== found.sessionId || this.#store.record(id)?.kind !== found.agent) continue;
      this.#awaited.delete(id);
      this.#assign(id, key, "told");
    }
    const owner = this.#store.withKey(found.agent, found.sessionId);
    if (owner !== undefined && this.#store.record(owner)?.alive === true) return this.#refresh(owner, found);
    if (found.hidden) return;
    const current = ({ kind, resume_key }: Readonly<SessionRecord>): FoundConversation | undefined =>
      resume_key === undefined ? undefined : this.#conversations.get(kind, resume_key);
    const writer = guess(found, candidatesFor(found, this.#store.liveRecords(), current));
    if (writer !== undefined) this.#assign(writer, found.sessionId, "guessed");
  }

  /** From here on the session writes this conversation. */
  #assign(id: string, key: string, how: Conversation["how"]): void {
    const record = this.#store.record(id);
    if (record === undefined) return;
    const found = this.#conversations.get(record.kind, key);
    const isSame = record.resume_key === key;
    const change: FilesChange = {
      resume_key: key,
      conversation: { how, ...optional("path", found?.path ?? (isSame ? record.conversation?.path : undefined)) },
      // Another conversation has another title, or none yet.
      adapter_title: found?.title || (isSame || record.resume_key === undefined ? record.adapter_title : undefined),
      resume_command: found?.resumeCommand ?? (isSame ? record.resume_command : undefined),
    };
    this.#store.upsert("files", id, change);
    this.#note(id);
  }

  #refresh(id: string, found: FoundConversation): void {
    const record = this.#store.record(id)!;
    const how = record.conversation?.how ?? "told";
    const title = found.title || record.adapter_title;
    const isNews = title !== record.adapter_title || record.conversation?.path !== found.path;
    this.#store.upsert("files", id, {
      adapter_title: title,
      resume_command: found.resumeCommand,
      conversation: { how, path: found.path },
    });
    if (isNews) this.#note(id);
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
  if (event.name === "report") return event.data.scope === undefined ? event.data.session : undefined;
  if (event.name !== "hook") return undefined;
  const payload = asObject(event.data);
  if (payload === undefined || payload["scope"] !== undefined || payload["agent_id"] !== undefined) return undefined;
  return asText(payload["session"]) ?? HOOK_EVENTS[kind]?.read(payload, undefined, {})?.session;
}
