/** Cost of a conversation so far, from the common ledger. */
import type { CostRecord } from "../../core/cost.ts";
import type { SessionReference } from "../../core/diff.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { FileService } from "../files/file-service.ts";

/** Details are shown on a screen; a slower count appears at the next look. */
const COUNT_MS = 2000;

/** Undefined if it is not written yet, or unreadable. */
export async function costOf(
  files: Pick<FileService, "read">,
  session: SessionReference,
): Promise<CostRecord | "late" | undefined> {
  const request = { kind: "transcript", session, from: 0, limit: 0, subagents: false } as const;
  let text = "";
  try {
    for await (const piece of files.read(request, AbortSignal.timeout(COUNT_MS))) text += piece;
  } catch (error) {
    if (error instanceof AgentMuxError) return error.code === "ABORTED" ? "late" : undefined;
    throw error;
  }
  return (JSON.parse(text) as { cost?: CostRecord }).cost;
}
