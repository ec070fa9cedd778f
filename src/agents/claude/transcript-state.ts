/** The state of a session, from the end of its Claude Code transcript. */
import { ENDED, lastState, RUNNING } from "../shared/last-state.ts";
import type { ProcessState } from "../status-hooks.ts";
import {
  blocksOf,
  endsTurn,
  isApiError,
  isAssistant,
  isMeta,
  isSidechain,
  isUser,
  stopReasonOf,
  textIn,
  type ClaudeRecord,
} from "./format.ts";
import { kindOfPrompt } from "./record.ts";

export function transcriptState(records: readonly ClaudeRecord[]): ProcessState | undefined {
  return lastState(records, stateOf);
}

function stateOf(record: ClaudeRecord): Omit<ProcessState, "at"> | undefined {
  if (isSidechain(record) || isMeta(record)) return undefined;
  const blocks = blocksOf(record);
  if (isUser(record)) return kindOfPrompt(textIn(blocks, " ")) === "interruption" ? ENDED : RUNNING;
  if (!isAssistant(record)) return endsTurn(record) ? ENDED : undefined;
  if (isApiError(record)) return { state: "error", message: textIn(blocks, " ") };
  return blocks.some((block) => block.kind === "call") || !hasEnded(record) ? RUNNING : ENDED;
}

function hasEnded(record: ClaudeRecord): boolean {
  return ["end_turn", "stop_sequence", "max_tokens", "refusal"].includes(stopReasonOf(record) ?? "");
}
