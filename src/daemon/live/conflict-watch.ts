/**
 * Watches which running sessions edit the same file. The history process reads transcripts, and only when one of a running session
 * has changed; while there is a conflict, also now and then whether git still shows it.
 */
import type { EditConflict } from "../../core/edit-conflict.ts";
import { readConflicts, writeConflicts } from "../../status/conflict-file.ts";
import type { FileService } from "../files/file-service.ts";
import type { SessionStore } from "../store/store.ts";

/** A commit ends a conflict, and no transcript needs to change for it. */
const COMMITTED_MS = 30_000;
/** Reading takes at most this share of the time, as long as a look takes less than a second. */
const SHARE = 0.05;
/** A look that waited for a busy machine must not keep conflicts from users for minutes. */
const LONGEST_PAUSE_MS = 20_000;

export interface ConflictWatchParts {
  home: string;
  store: Pick<SessionStore, "liveRecords" | "onChange">;
  files: Pick<FileService, "read">;
  onChange: () => void;
}

export class ConflictWatch {
  readonly #parts: ConflictWatchParts;
  /** How often each conversation has changed. */
  readonly #versions = new Map<string, number>();
  #conflicts: EditConflict[] = [];
  #isDirty = true;
  #running: Promise<void> | undefined;
  /** When the last look ended, and from when the next is allowed; by `performance.now()`. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #nextAt = 0;

  constructor(parts: ConflictWatchParts) {
    this.#parts = parts;
    parts.store.onChange(({ before, after }) => {
      if (before?.alive === after?.alive && before?.resume_key === after?.resume_key) return;
      this.#isDirty = true;
    });
  }

  /** Takes what an earlier process found, until the first look: otherwise its notifications would be withdrawn and sent anew. */
  begin(): void {
    const running = new Set(Array.from(this.#parts.store.liveRecords(), ({ id }) => id));
    this.#conflicts = readConflicts(this.#parts.home, (id) => running.has(id), Date.now());
  }

  list(): readonly EditConflict[] {
    return this.#conflicts;
  }

  /** A conversation has grown. */
  changed(agent: string, sessionId: string): void {
    const key = `${agent}:${sessionId}`;
    if (![...this.#watched()].some((watched) => `${watched.agent}:${watched.sessionId}` === key)) return;
    this.#versions.set(key, (this.#versions.get(key) ?? 0) + 1);
    this.#isDirty = true;
  }

  look(): Promise<void> {
    this.#running ??= this.#look().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #look(): Promise<void> {
    const now = performance.now();
    const isOld = this.#conflicts.length > 0 && now - this.#lookedAt > COMMITTED_MS;
    if (!this.#isDirty && !isOld) return;
    const sessions = [...this.#watched()].map((watched) => {
      const version = this.#versions.get(`${watched.agent}:${watched.sessionId}`) ?? 0;
      return { ...watched, version };
    });
    const keys = new Set(sessions.map(({ agent, sessionId }) => `${agent}:${sessionId}`));
    // The end of a session ends its conflicts, and nothing is read for it.
    if (keys.size >= 2 && now < this.#nextAt) return;
    this.#isDirty = false;
    for (const key of this.#versions.keys()) if (!keys.has(key)) this.#versions.delete(key);
    let text = "";
    try {
      if (keys.size < 2) text = "[]";
      else for await (const piece of this.#parts.files.read({ kind: "conflicts", sessions })) text += piece;
    } catch (error) {
      // What changed was not seen.
      this.#isDirty = true;
      throw error;
    }
    this.#lookedAt = performance.now();
    this.#nextAt = this.#lookedAt + Math.min((this.#lookedAt - now) / SHARE, LONGEST_PAUSE_MS);
    if (text === JSON.stringify(this.#conflicts)) return;
    this.#conflicts = JSON.parse(text) as EditConflict[];
    writeConflicts(this.#parts.home, this.#conflicts);
    this.#parts.onChange();
  }

  *#watched(): Generator<{ id: string; agent: string; sessionId: string }> {
    for (const record of this.#parts.store.liveRecords()) {
      const { id, kind, agent = kind, resume_key: sessionId } = record;
      if (sessionId !== undefined) yield { id, agent, sessionId };
    }
  }
}
