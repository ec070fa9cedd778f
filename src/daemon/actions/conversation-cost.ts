/** What a conversation has cost so far, from the same ledger as every other figure. */
import type { CostRecord } from "../../core/cost.ts";
import type { SessionReference } from "../../core/diff.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { FileService } from "../files/file-service.ts";

/** Whoever asks for details looks at a screen; a conversation that takes longer to count is told at another look. */
const COUNT_MS = 2000;

/** Undefined when it is not written yet, cannot be read, or takes too long. */
export async function costOf(
  files: Pick<FileService, "read">,
  session: SessionReference,
): Promise<CostRecord | undefined> {
  const request = { kind: "transcript", session, from: 0, limit: 0, subagents: false } as const;
  let text = "";
  try {
    for await (const piece of files.read(request, AbortSignal.timeout(COUNT_MS))) text += piece;
  } catch (error) {
    if (error instanceof AgentMuxError) return undefined;
    throw error;
  }
  return (JSON.parse(text) as { cost?: CostRecord }).cost;
}
