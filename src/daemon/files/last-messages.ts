/** The last messages of a conversation, to compare with a screen. */
import type { FileService } from "./file-service.ts";
import type { FoundConversation } from "./found-conversation.ts";

/** A conversation that takes longer is identified another way, or not at all. */
const READ_WITHIN_MS = 3000;

export async function lastMessagesOf(
  files: Pick<FileService, "read">,
  { agent, sessionId }: FoundConversation,
): Promise<string> {
  const request = { kind: "ending", session: { agent, sessionId } } as const;
  let text = "";
  for await (const piece of files.read(request, AbortSignal.timeout(READ_WITHIN_MS))) text += piece;
  return JSON.parse(text) as string;
}
