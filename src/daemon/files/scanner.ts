/**
 * Rows for conversations that no process of ours holds: whatever an agent left on disk can be gone on with. Looks every 30
 * seconds at what the files' watchers reported since; what the user dismissed stays away.
 */
import * as crypto from "node:crypto";
import type { Dismissed } from "../actions/dismissed.ts";
import type { Runners } from "../live/runners.ts";
import type { Workspaces } from "../projects/workspaces.ts";
import type { SessionStore } from "../store/store.ts";
import type { FilesNews, FoundConversation } from "./found-conversation.ts";

/** A row made of a conversation is that conversation's. */
const FOUND = { how: "told", by: "launch" } as const;

export interface ScannerParts {
  store: SessionStore;
  dismissed: Dismissed;
  workspaces: Pick<Workspaces, "of">;
  runners: Pick<Runners, "storedIds">;
}

export class Scanner {
  readonly #store: SessionStore;
  readonly #dismissed: Dismissed;
  readonly #workspaces: Pick<Workspaces, "of">;
  readonly #runners: Pick<Runners, "storedIds">;
  readonly #waiting = new Map<string, FoundConversation>();
  readonly #gone = new Map<string, { agent: string; sessionId: string }>();

  constructor({ store, dismissed, workspaces, runners }: ScannerParts) {
    this.#store = store;
    this.#dismissed = dismissed;
    this.#workspaces = workspaces;
    this.#runners = runners;
  }

  /** No session stands for the conversation any more; if it is still there, it gets a row of its own again. */
  released(found: FoundConversation | undefined): void {
    if (found !== undefined && !this.#gone.has(keyOf(found))) this.#waiting.set(keyOf(found), found);
  }

  news({ agent, changed, removed }: FilesNews): void {
    for (const found of changed) {
      this.#waiting.set(keyOf(found), found);
      this.#gone.delete(keyOf(found));
    }
    for (const sessionId of removed) {
      this.#waiting.delete(keyOf({ agent, sessionId }));
      this.#gone.set(keyOf({ agent, sessionId }), { agent, sessionId });
    }
  }

  /** Brings the store up to date with the files. */
  scan(): void {
    // An id whose directory is still there belongs to a session that went on to another conversation.
    const stored = this.#waiting.size === 0 ? new Set<string>() : new Set(this.#runners.storedIds());
    for (const found of this.#waiting.values()) this.#show(found, stored);
    this.#waiting.clear();
    for (const { agent, sessionId } of this.#gone.values()) this.#hide(agent, sessionId);
    this.#gone.clear();
  }

  #show(found: FoundConversation, stored: ReadonlySet<string>): void {
    const { agent, sessionId, title, path, resumeCommand } = found;
    const known = this.#store.withKey(agent, sessionId);
    if (known !== undefined) {
      // The session that lives is FileMonitor's.
      if (this.#store.record(known)?.alive === true) return;
      const adapter_title = title || this.#store.record(known)?.adapter_title;
      const { how, by } = this.#store.record(known)?.conversation ?? FOUND;
      const conversation = { how, by, path };
      this.#store.upsert("files", known, { adapter_title, resume_command: resumeCommand, conversation });
      return;
    }
    if (found.hidden || resumeCommand === undefined || found.cwd === undefined) return;
    if (this.#dismissed.hasConversation(agent, sessionId)) return;
    const id = this.#freeId(agent, sessionId, stored);
    this.#store.upsert("files", id, {
      id,
      created_at: new Date(found.createdMs).toISOString(),
      kind: agent,
      cwd: found.cwd,
      command: resumeCommand,
      ...this.#workspaces.of(found.cwd),
      resume_key: sessionId,
      resume_command: resumeCommand,
      ...(title === "" ? {} : { adapter_title: title }),
      conversation: { ...FOUND, path },
    });
  }

  /** Only a row that never was more than its file goes with it. */
  #hide(agent: string, sessionId: string): void {
    const id = this.#store.withKey(agent, sessionId);
    const record = id === undefined ? undefined : this.#store.record(id);
    if (record !== undefined && !record.alive && record.started_at === undefined) this.#store.remove(record.id);
  }

  /** The same conversation has the same id after every restart, unless another session has it. */
  #freeId(agent: string, sessionId: string, stored: ReadonlySet<string>): string {
    for (let attempt = 0; ; attempt++) {
      const id = idFor(agent, sessionId, attempt);
      if (this.#store.get(id) === undefined && !stored.has(id)) return id;
    }
  }
}

function keyOf({ agent, sessionId }: { agent: string; sessionId: string }): string {
  return `${agent}\0${sessionId}`;
}

/** `sess-` and eight of [a-z0-9], drawn from the conversation's name. */
export function idFor(agent: string, sessionId: string, attempt: number): string {
  const digest = sha256(`${agent}\0${sessionId}\0${attempt}`);
  const number = digest.readBigUInt64BE() % 36n ** 8n;
  return `sess-${number.toString(36).padStart(8, "0")}`;
}

/** In one call where Node has it (20.12 on): for thousands of short texts that is half the time. */
function sha256(text: string): Buffer {
  return typeof crypto.hash === "function"
    ? crypto.hash("sha256", text, "buffer")
    : crypto.createHash("sha256").update(text).digest();
}
