/** An agent's notes outside of conversations: searchable, and read like a session with one message. */
import type { MemoryNote } from "../agents/adapter.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import type { Catalog } from "./catalog.ts";
import type { SessionView } from "./session-view.ts";

export const NOTE_TITLE = "Memory note";

export function noteIn({ adapter, env, notes }: Catalog, id: string): MemoryNote | undefined {
  return adapter.history?.search?.note?.(id, env, notes);
}

export function noteView(agent: string, sessionId: string, { path, text, updatedMs }: MemoryNote): SessionView {
  const at = new Date(updatedMs);
  return {
    source: { sessionId, path, files: [], updatedMs },
    summary: {
      agent,
      sessionId,
      unifiedId: joinUnifiedId(agent, sessionId),
      title: NOTE_TITLE,
      createdAt: at,
      updatedAt: at,
      turnCount: 0,
      messageCount: 1,
      tags: [],
      memory: true,
    },
    messages: () => [{ role: "assistant", content: text }],
    subagents: () => [],
    raw: () => text,
  };
}
