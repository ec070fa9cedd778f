/** Shows a run: text with the agent's actions beside it, or one JSON object per line. */
import type { AgentEvent } from "../../core/agent-event.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunHandle } from "../../index.ts";
import { oneLine, printableJson, truncate, withoutControls } from "../../lib/text/text.ts";
import { costCell, count } from "../format/figures.ts";
import type { Output } from "../output.ts";

const MAX_SUBJECT = 100;

/** Events, then the result. Accumulated text is omitted: the output would grow quadratically. */
export async function showJson(run: RunHandle, output: Output): Promise<RunResult> {
  for await (const event of run) {
    const { accumulated: _, inputAccumulated: __, ...rest } = event as AgentEvent & Record<string, unknown>;
    await output.write(jsonLine(rest));
  }
  const result = await run;
  const { events: _, ...told } = result;
  await output.write(jsonLine({ type: "run_result", ...told }));
  return result;
}

function jsonLine(value: object): string {
  return `${printableJson(JSON.stringify(value))}\n`;
}

/** The final answer. */
export async function showAnswer(run: RunHandle, output: Output): Promise<RunResult> {
  const result = await run;
  if (result.text !== "") await output.write(`${safe(result.text, output)}\n`);
  return result;
}

export async function showText(run: RunHandle, output: Output): Promise<RunResult> {
  let isOpen = false;
  for await (const event of run) {
    if (event.type === "text_delta" && event.subagentId === undefined) {
      isOpen = true;
      await output.write(safe(event.delta, output));
    } else if (event.type === "message_stop" && isOpen) {
      isOpen = false;
      await output.write("\n");
    } else {
      const note = noteOf(event);
      if (note !== undefined) output.note(note, "dim");
    }
  }
  const result = await run;
  // A run that never began has no summary; its starter reports why.
  if (result.error === null || result.sessionId !== null) output.note(summaryOf(result), "dim");
  return result;
}

/** A pipe gets the raw text; a terminal must not be controlled by it. */
function safe(text: string, output: Output): string {
  return output.isTerminal ? withoutControls(text) : text;
}

function noteOf(event: AgentEvent): string | undefined {
  const indent = event.subagentId === undefined ? "" : "  ";
  switch (event.type) {
    case "tool_call_ready":
      return `${indent}• ${oneLine(event.toolName)} ${subjectOf(event.input)}`.trimEnd();
    case "tool_error":
      return `${indent}  failed: ${short(event.error)}`;
    case "subagent_spawn":
      return `• ${oneLine(event.agentName)}: ${short(event.prompt)}`;
    case "rate_limited":
      return "The service is busy; the agent retries.";
    case "retry":
      return `Trying again in ${(event.delayMs / 1000).toFixed(1)} s (${event.attempt} of ${event.maxAttempts}): ${short(event.reason)}`;
    case "stream_fallback":
      return oneLine(event.reason);
    case "context_compacted":
      return "The conversation was summarised to make room.";
    case "turn_limit":
      return `Ended after ${event.maxTurns} model calls.`;
    default:
      return undefined;
  }
}

const SUBJECTS = ["command", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt"];

function subjectOf(input: unknown): string {
  if (typeof input === "string") return short(input);
  const fields = (input ?? {}) as Record<string, unknown>;
  const name = SUBJECTS.find((candidate) => typeof fields[candidate] === "string");
  return name === undefined ? "" : short(fields[name] as string);
}

function short(text: string): string {
  return truncate(oneLine(text), MAX_SUBJECT);
}

function summaryOf({ agent, sessionId, durationMs, cost, tokenUsage }: RunResult): string {
  const parts = [`${(durationMs / 1000).toFixed(1)} s`];
  if (tokenUsage) parts.push(`${count(tokenUsage.totalTokens)} tokens`);
  if (cost) parts.push(costCell(cost));
  if (sessionId !== null) parts.push(`${agent}:${oneLine(sessionId)}`);
  return parts.join(" · ");
}
