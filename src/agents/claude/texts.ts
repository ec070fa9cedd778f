/** What a search looks through: a session's transcript and those of its sub-agents, with where each message lies. */
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { builtMessage, type SessionTexts } from "../text-message.ts";
import { agentIdOf } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import { growthPointOf, openText, subagentTranscript } from "./session.ts";
import type { PlacedMessage, Transcript } from "./transcript.ts";

/** Undefined when the session has to be read. */
export function texts(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionTexts | undefined {
  const transcript = openText(source, notes);
  // A transcript with side-chains in it is an old one, and divided by whoever reads it.
  if (transcript === undefined || transcript.conversation.hasSidechains) return undefined;
  return {
    messages: () => textsIn(transcript),
    *subagents() {
      for (const path of (source.locator as ClaudeLocator).subagents) {
        const helper = subagentTranscript(path, notes);
        if (helper) yield { id: agentIdOf(path), messages: textsIn(helper) };
      }
    },
    growthPoint: () => growthPointOf(transcript.conversation),
  };
}

function* textsIn(transcript: Transcript): ReturnType<SessionTexts["messages"]> & Generator {
  for (const { message, starts } of transcript.placed() as Iterable<PlacedMessage>)
    yield { ...builtMessage(message), spot: { path: transcript.path, starts, tool: message.toolResult?.toolName } };
}
