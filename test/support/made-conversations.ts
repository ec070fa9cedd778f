/** Conversations of the made-up agent, and search in them. */
import type { SessionMessage } from "../../src/core/session.ts";
import type { AgentMuxClient } from "../../src/index.ts";
import type { MadeSession } from "./made-agent.ts";

export const T0 = Date.parse("2026-06-01T12:00:00Z");

export function says(role: "user" | "assistant", content: string, more: Partial<SessionMessage> = {}): SessionMessage {
  return { role, content, timestamp: new Date(T0), ...more };
}

export function session(id: string, ...messages: SessionMessage[]): MadeSession {
  return { id, head: { createdMs: T0, updatedMs: T0 }, messages };
}

export async function foundIds(client: AgentMuxClient, text: string, more = {}): Promise<string[]> {
  return (await client.sessions.search({ text, ...more })).map((hit) => hit.sessionId);
}
