/** Every conversation known to lie in an agent's store. */
import type { FilesNews, FoundConversation } from "./found-conversation.ts";

export class Conversations {
  readonly #byAgent = new Map<string, Map<string, FoundConversation>>();

  take({ agent, changed, removed }: FilesNews): void {
    const known = this.#byAgent.get(agent) ?? new Map<string, FoundConversation>();
    this.#byAgent.set(agent, known);
    for (const found of changed) known.set(found.sessionId, found);
    for (const id of removed) known.delete(id);
  }

  get(agent: string, sessionId: string): FoundConversation | undefined {
    return this.#byAgent.get(agent)?.get(sessionId);
  }
}
