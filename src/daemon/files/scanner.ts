/**
 * Rows for conversations without a process, which can be resumed. Existing rows change at once. Every 30 seconds it adds and
 * removes rows for what the file watchers reported; dismissed ones stay away.
 */
import type { Dismissed } from "../actions/dismissed.ts";
import type { Runners } from "../live/runners.ts";
import type { SessionStore } from "../store/store.ts";
import type { Conversations } from "./conversations.ts";
import type { FilesUpdate, FoundConversation } from "./found-conversation.ts";
import { idFor } from "./row-id.ts";

/** A row made from a conversation belongs to it. */
const FOUND = { how: "told", by: "launch" } as const;

export interface ScannerParts {
  store: SessionStore;
  dismissed: Dismissed;
  runners: Pick<Runners, "storedIds">;
  conversations: Pick<Conversations, "get">;
}

type Name = Pick<FoundConversation, "agent" | "sessionId">;

export class Scanner {
  readonly #store: SessionStore;
  readonly #dismissed: Dismissed;
  readonly #runners: Pick<Runners, "storedIds">;
  readonly #conversations: Pick<Conversations, "get">;
  readonly #waiting = new Map<string, FoundConversation>();
  readonly #gone = new Map<string, Name>();

  constructor({ store, dismissed, runners, conversations }: ScannerParts) {
    this.#store = store;
    this.#dismissed = dismissed;
    this.#runners = runners;
    this.#conversations = conversations;
  }

  /** No session has these conversations any more; existing ones get their own rows again. */
  released(names: readonly Name[]): void {
    const stored = new Set(this.#runners.storedIds());
    for (const name of names) {
      const found = this.#conversations.get(name.agent, name.sessionId);
      if (found !== undefined && !this.#gone.has(keyOf(name))) this.#show(found, stored);
    }
  }

  news({ agent, changed, removed }: FilesUpdate): void {
    for (const found of changed) {
      this.#waiting.set(keyOf(found), found);
      this.#gone.delete(keyOf(found));
      const known = this.#store.withKey(found.agent, found.sessionId);
      if (known !== undefined) this.#update(known, found);
    }
    for (const sessionId of removed) {
      this.#waiting.delete(keyOf({ agent, sessionId }));
      this.#gone.set(keyOf({ agent, sessionId }), { agent, sessionId });
    }
  }

  /** Updates the store from the files. */
  scan(): void {
    // If an id's directory exists, it belongs to a session that moved to another conversation.
    const stored = this.#waiting.size === 0 ? new Set<string>() : new Set(this.#runners.storedIds());
    for (const found of this.#waiting.values()) this.#show(found, stored);
    this.#waiting.clear();
    for (const { agent, sessionId } of this.#gone.values()) this.#hide(agent, sessionId);
    this.#gone.clear();
  }

  #show(found: FoundConversation, stored: ReadonlySet<string>): void {
    const { agent, sessionId, title, path, resumeCommand } = found;
    const known = this.#store.withKey(agent, sessionId);
    if (known !== undefined) return this.#update(known, found);
    if (found.hidden || found.isOld === true || resumeCommand === undefined) return;
    if (this.#dismissed.hasConversation(agent, sessionId)) return;
    const id = this.#freeId(found, stored);
    this.#store.upsert("files", id, {
      id,
      created_at: new Date(found.createdMs).toISOString(),
      kind: agent,
      cwd: found.cwd ?? "",
      command: resumeCommand,
      ...found.workspace,
      resume_key: sessionId,
      resume_command: resumeCommand,
      ...(title === "" ? {} : { adapter_title: title }),
      ...marksOf(found),
      conversation: { ...FOUND, path },
    });
  }

  #update(id: string, found: FoundConversation): void {
    const record = this.#store.record(id);
    // FileMonitor handles running sessions.
    if (record?.alive === true) return;
    const { how, by } = record?.conversation ?? FOUND;
    this.#store.upsert("files", id, {
      adapter_title: found.title || record?.adapter_title,
      resume_command: found.resumeCommand,
      ...marksOf(found),
      conversation: { how, by, path: found.path },
    });
  }

  /** Only a row that was never more than its file disappears with it. */
  #hide(agent: string, sessionId: string): void {
    const id = this.#store.withKey(agent, sessionId);
    const record = id === undefined ? undefined : this.#store.record(id);
    if (record !== undefined && !record.alive && record.started_at === undefined) this.#store.remove(record.id);
  }

  /** The same conversation keeps its id across restarts, unless another session has it. */
  #freeId({ agent, sessionId, rowId }: FoundConversation, stored: ReadonlySet<string>): string {
    for (let attempt = 0; ; attempt++) {
      const id = attempt === 0 && rowId !== undefined ? rowId : idFor(agent, sessionId, attempt);
      if (this.#store.get(id) === undefined && !stored.has(id)) return id;
    }
  }
}

function marksOf({ archived, inVault }: FoundConversation): { archived: true | undefined; in_vault: true | undefined } {
  return { archived: archived === true ? true : undefined, in_vault: inVault };
}

function keyOf({ agent, sessionId }: Name): string {
  return `${agent}\0${sessionId}`;
}
