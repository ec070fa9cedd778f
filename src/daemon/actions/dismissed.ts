/**
 * Dismissed sessions, remembered until the daemon ends, so that a scan does not bring them back; a restarted session is shown
 * again.
 */
import type { SessionRecord } from "../store/session-record.ts";

export class Dismissed {
  readonly #ids = new Set<string>();
  readonly #conversations = new Set<string>();

  add({ id, kind, resume_key }: Readonly<SessionRecord>): void {
    this.#ids.add(id);
    if (resume_key !== undefined) this.#conversations.add(`${kind}\0${resume_key}`);
  }

  hasId(id: string): boolean {
    return this.#ids.has(id);
  }

  hasConversation(kind: string, resumeKey: string): boolean {
    return this.#conversations.has(`${kind}\0${resumeKey}`);
  }

  /** It lives again. */
  forget({ id, kind, resume_key }: Readonly<SessionRecord>): void {
    this.#ids.delete(id);
    if (resume_key !== undefined) this.#conversations.delete(`${kind}\0${resume_key}`);
  }
}
