/** The difference between two sessions, message by message. */
import type { AgentName, SessionMessage } from "./session.ts";

export interface SessionReference {
  agent: AgentName;
  sessionId: string;
}

export interface DiffOperation {
  type: "addition" | "removal" | "modification" | "unchanged";
  indexA?: number;
  indexB?: number;
  messageA?: SessionMessage;
  messageB?: SessionMessage;
}

export interface SessionDiff {
  a: SessionReference & { unifiedId: string };
  b: SessionReference & { unifiedId: string };
  operations: DiffOperation[];
  stats: { removals: number; additions: number; modifications: number; unchanged: number };
}
