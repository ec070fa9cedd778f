/** OpenClaw's `agent --json`: one document at the end, with answer and usage. There are no events and no tool calls. */
import { asNumber, asObject, asObjects, asString, asText, type Json } from "../../lib/json/fields.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, reportedCost, type StreamContext } from "../shared/event-assembler.ts";
import { failureEvent, failuresIn } from "../shared/run-failure.ts";
import { tokenCounts } from "../shared/tree-format.ts";

export const GUIDANCE = "Run openclaw models auth login, or openclaw configure.";

/** `sessionId` was chosen before the start. */
export function openclawEvents(context: StreamContext, sessionId: string): AgentStream {
  const events = new EventAssembler(context);
  const lines: string[] = [];
  return {
    begin() {
      events.session(sessionId);
      events.turnStart();
      return events.take();
    },
    line(text) {
      lines.push(text);
      return [];
    },
    end({ exitCode, stderr }) {
      const document = documentIn(lines);
      if (document) answer(document, events);
      else for (const line of lines) events.push({ type: "log", source: "stdout", line });
      if (exitCode !== 0 && !events.hasFailed) events.push(...failuresIn(stderr, GUIDANCE));
      events.turnEnd();
      return events.take();
    },
  };
}

/** Plug-ins may print notes before the document. */
function documentIn(lines: readonly string[]): Json | undefined {
  const start = lines.findIndex((line) => line.startsWith("{"));
  if (start === -1) return undefined;
  try {
    return asObject(JSON.parse(lines.slice(start).join("\n")));
  } catch {
    // Truncated or not JSON: shown as it is.
    return undefined;
  }
}

function answer(document: Json, events: EventAssembler): void {
  // Through the gateway the answer is inside `result`; an embedded run prints it directly.
  const result = asObject(document["result"]) ?? document;
  const meta = asObject(asObject(result["meta"])?.["agentMeta"]) ?? {};
  const sessionId = asText(meta["sessionId"]);
  if (sessionId !== undefined) events.session(sessionId, asText(meta["model"]));
  for (const payload of asObjects(result["payloads"])) {
    const text = asText(payload["text"]);
    if (text !== undefined && payload["isError"] !== true) events.text(text);
    else if (text !== undefined) events.push(failureEvent({ message: text, guidance: GUIDANCE }));
  }
  used(meta, events);
  const error = asObject(document["error"]) ?? asObject(asObject(result["meta"])?.["error"]);
  if (error) {
    const message = asText(error["message"]) ?? asString(document["summary"]) ?? "The run failed.";
    events.push(failureEvent({ message, guidance: GUIDANCE }));
  }
}

function used(meta: Json, events: EventAssembler): void {
  const usage = asObject(meta["usage"]);
  if (!usage) return;
  const tokens = tokenCounts(usage);
  events.usage(tokens, asText(meta["model"]));
  const usd = asNumber(meta["costUsd"]);
  if (usd !== undefined && usd > 0) events.push({ type: "cost", cost: reportedCost(usd, tokens) });
}
