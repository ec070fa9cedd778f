/** Every known conversation in an agent's store. */
import type { FilesUpdate, FoundConversation } from "./found-conversation.ts";

export class Conversations {
  readonly #byAgent = new Map<string, Map<string, FoundConversation>>();
  /** Id by path, for files with one conversation each; for a database only the last. */
  readonly #paths = new Map<string, string>();

  take({ agent, changed, removed }: FilesUpdate): void {
    const known = this.#byAgent.get(agent) ?? new Map<string, FoundConversation>();
    this.#byAgent.set(agent, known);
    for (const found of changed) {
      known.set(found.sessionId, found);
      this.#paths.set(found.path, found.sessionId);
    }
    for (const id of removed) known.delete(id);
  }

  /** The conversation in that file. */
  at(agent: string, path: string): FoundConversation | undefined {
    return this.get(agent, this.#paths.get(path) ?? "");
  }

  /** Conversations of a directory changed since then. */
  since(agent: string, cwd: string, moment: number): FoundConversation[] {
    const known = this.#byAgent.get(agent)?.values() ?? [];
    return [...known].filter((found) => found.cwd === cwd && found.updatedMs >= moment);
  }

  get(agent: string, sessionId: string): FoundConversation | undefined {
    return this.#byAgent.get(agent)?.get(sessionId);
  }
}
