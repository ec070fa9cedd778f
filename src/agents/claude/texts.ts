/** What a search looks through: a session's transcript and those of its sub-agents, as they lie in their files. */
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { builtMessage, type SessionTexts, type TextMessage } from "../text-message.ts";
import { agentIdOf } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import { growthPointOf, subagentsIn } from "./session.ts";
import { bytesOf, MAX_HELD_BYTES, TextTranscript } from "./text-transcript.ts";

type FileTest = (file: Buffer) => boolean;

/** In place of a transcript that holds nothing that is looked for. */
const UNWANTED = "unwanted";

/** Undefined when the session has to be read. */
export function texts(
  source: SessionSource,
  _env: AgentEnv,
  notes: ReadNotes,
  isWanted?: FileTest,
): SessionTexts | undefined {
  const { subagents } = source.locator as ClaudeLocator;
  const helpers = (): ReturnType<SessionTexts["subagents"]> => subagentTexts(subagents, source, notes, isWanted);
  const transcript = open(source.path, source.files[0]!.size, notes, false, isWanted);
  if (transcript === UNWANTED) return { messages: () => [], subagents: helpers };
  // A transcript with side-chains in it is an old one, and divided by whoever parses it.
  if (!transcript?.hasConversation || transcript.conversation.hasSidechains) return undefined;
  return {
    messages: () => transcript.messages(),
    subagents: helpers,
    growthPoint: () => growthPointOf(transcript.conversation),
  };
}

function* subagentTexts(
  paths: readonly string[],
  { files }: SessionSource,
  notes: ReadNotes,
  isWanted: FileTest | undefined,
): Generator<{ id: string; messages: Iterable<TextMessage> }> {
  for (const path of paths) {
    const transcript = open(path, files.find((file) => file.path === path)?.size ?? 0, notes, true, isWanted);
    if (transcript === UNWANTED) continue;
    if (transcript) yield { id: agentIdOf(path), messages: transcript.messages() };
    else for (const { id, messages } of subagentsIn([path], notes)) yield { id, messages: messages.map(builtMessage) };
  }
}

/** Undefined when it is too large, or cannot be opened: whoever reads it tells. */
function open(
  path: string,
  bytes: number,
  notes: ReadNotes,
  isSubagents: boolean,
  isWanted: FileTest | undefined,
): TextTranscript | typeof UNWANTED | undefined {
  if (bytes > MAX_HELD_BYTES) return undefined;
  try {
    if (isWanted && !isWanted(bytesOf(path))) return UNWANTED;
    const transcript = new TextTranscript(path, bytes, isSubagents);
    if (isSubagents || transcript.hasConversation) transcript.tell(notes, path);
    return transcript;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return undefined;
  }
}
