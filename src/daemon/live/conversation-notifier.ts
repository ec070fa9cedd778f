/**
 * Tells runners the title and file of their session's conversation, so that all clients see the same title and agents without
 * hooks can be followed.
 */
import { askRunner } from "../../client/runner-http.ts";
import type { WrittenConversation } from "../../protocol/runner-api.ts";

const TELL_WITHIN_MS = 2000;

export class ConversationNotifier {
  readonly #socketPath: (id: string) => string;
  readonly #telling = new Set<string>();
  /** Updates that arrived during a request; only the newest counts. */
  readonly #next = new Map<string, WrittenConversation>();

  constructor(socketPath: (id: string) => string) {
    this.#socketPath = socketPath;
  }

  tell(id: string, word: WrittenConversation): void {
    if (this.#telling.has(id)) return void this.#next.set(id, word);
    this.#telling.add(id);
    void this.#send(id, word);
  }

  async #send(id: string, word: WrittenConversation): Promise<void> {
    try {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify(word);
      await askRunner(this.#socketPath(id), {
        method: "PUT",
        path: "/conversation",
        body,
        headers,
        timeoutMs: TELL_WITHIN_MS,
      });
    } catch {
      // It ended or is stopped. The store has the data anyway.
    }
    const next = this.#next.get(id);
    this.#next.delete(id);
    if (next !== undefined) return this.#send(id, next);
    this.#telling.delete(id);
  }
}
