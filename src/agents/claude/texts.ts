/** What a search looks through: a session's transcript and those of its sub-agents, as they lie in their files. */
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { builtMessage, type SessionTexts, type TextMessage } from "../text-message.ts";
import { agentIdOf } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import { growthPointOf, subagentsIn } from "./session.ts";
import { MAX_HELD_BYTES, TextTranscript } from "./text-transcript.ts";

/** Undefined when the session has to be read. */
export function texts(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionTexts | undefined {
  const transcript = open(source.path, source.files[0]!.size, notes, false);
  // A transcript with side-chains in it is an old one, and divided by whoever parses it.
  if (!transcript?.hasConversation || transcript.conversation.hasSidechains) return undefined;
  const { subagents } = source.locator as ClaudeLocator;
  return {
    messages: () => transcript.messages(),
    subagents: () => subagentTexts(subagents, source, notes),
    growthPoint: () => growthPointOf(transcript.conversation),
  };
}

function* subagentTexts(
  paths: readonly string[],
  { files }: SessionSource,
  notes: ReadNotes,
): Generator<{ id: string; messages: Iterable<TextMessage> }> {
  for (const path of paths) {
    const transcript = open(path, files.find((file) => file.path === path)?.size ?? 0, notes, true);
    if (transcript) yield { id: agentIdOf(path), messages: transcript.messages() };
    else for (const { id, messages } of subagentsIn([path], notes)) yield { id, messages: messages.map(builtMessage) };
  }
}

/** Undefined when it is too large, or cannot be opened: whoever reads it tells. */
function open(path: string, bytes: number, notes: ReadNotes, isSubagents: boolean): TextTranscript | undefined {
  if (bytes > MAX_HELD_BYTES) return undefined;
  try {
    const transcript = new TextTranscript(path, bytes, isSubagents);
    if (isSubagents || transcript.hasConversation) transcript.tell(notes, path);
    return transcript;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return undefined;
  }
}
