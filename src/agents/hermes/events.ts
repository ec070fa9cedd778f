/**
 * Hermes prints its answer as plain text (`-z`), without events. Usage and session id are in a file it writes at the
 * end.
 */
import { asNumber, asText, asTokens, type Json } from "../../lib/json/fields.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, reportedCost, type StreamContext } from "../shared/event-assembler.ts";
import { failuresIn } from "../shared/run-failure.ts";
import { objectIn } from "../../lib/json/json-file.ts";

export const GUIDANCE = "Run hermes setup, or set the API key of a provider.";

export function hermesEvents(context: StreamContext, usageFile: string): AgentStream {
  const events = new EventAssembler(context);
  let isFirst = true;
  return {
    begin() {
      if (context.session.kind === "resume") events.session(context.session.id);
      events.turnStart();
      return events.take();
    },
    line(text) {
      events.textDelta(isFirst ? text : `\n${text}`);
      isFirst = false;
      return events.take();
    },
    end({ exitCode, stderr }) {
      events.textStop();
      // There is none if it exited before writing one.
      used(objectIn(usageFile) ?? {}, events);
      if (exitCode !== 0) events.push(...failuresIn(stderr, GUIDANCE));
      events.turnEnd();
      return events.take();
    },
  };
}

function used(report: Json, events: EventAssembler): void {
  const sessionId = asText(report["session_id"]);
  const model = asText(report["model"]);
  if (sessionId !== undefined) events.session(sessionId, model);
  const output = asTokens(report["output_tokens"]);
  const tokens = {
    input: asTokens(report["input_tokens"]),
    cached: asTokens(report["cache_read_tokens"]),
    cacheWrite: asTokens(report["cache_write_tokens"]),
    cacheWrite1h: 0,
    output,
    thinking: Math.min(output, asTokens(report["reasoning_tokens"])),
  };
  if (tokens.input + tokens.cached + tokens.cacheWrite + tokens.output === 0) return;
  events.usage(tokens, model);
  const usd = asNumber(report["actual_cost_usd"]) ?? asNumber(report["estimated_cost_usd"]);
  // With the status "unknown", 0 means nothing.
  if (usd !== undefined && usd > 0) events.push({ type: "cost", cost: reportedCost(usd, tokens) });
}
