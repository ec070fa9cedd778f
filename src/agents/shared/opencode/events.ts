/** `opencode run --format json`: complete parts, finished tools, and usage and cost per step. */
import { asNumber, asObject, asString, asText, type Json } from "../../../lib/json/fields.ts";
import { optional } from "../../../lib/values/optional.ts";
import type { AgentStream } from "../../run-support.ts";
import { EventAssembler, reportedCost, type StreamContext } from "../event-assembler.ts";
import { byType, jsonLineReader, stringIn } from "../json-lines.ts";
import { failureEvent } from "../run-failure.ts";
import type { ToolTable } from "../tool-facts.ts";
import { tokensOf } from "./format.ts";
import type { Product } from "./product.ts";

const TOOLS: ToolTable = {
  tools: {
    read: { is: "file_read", path: "filePath" },
    write: { is: "file_write", path: "filePath", content: "content" },
    edit: { is: "file_patch", path: "filePath" },
    bash: { is: "shell", command: "command" },
  },
};

/** The tool that starts a sub-agent, in a session of its own. */
const DELEGATING_TOOL = "task";

export function guidanceOf({ name }: Product): string {
  return `Run ${name} auth login, or set the API key of a provider.`;
}

export function eventsOf(product: Product, context: StreamContext): AgentStream {
  const guidance = guidanceOf(product);
  const events = new EventAssembler(context, TOOLS);
  const see = byType({
    step_start: () => events.stepStart(),
    text: (part) => events.text(stringIn(part, "text")),
    reasoning: (part) => events.thinking(stringIn(part, "text")),
    tool_use: (part) => tool(part, events),
    step_finish: (part) => stepFinish(part, events),
    error: (_part, record) => failure(asObject(record["error"]) ?? {}, events, guidance),
  });
  return jsonLineReader(events, guidance, (record) => {
    const sessionId = asText(record["sessionID"]);
    if (sessionId !== undefined) events.session(sessionId);
    return see(record, asObject(record["part"]) ?? {});
  });
}

function tool(part: Json, events: EventAssembler): void {
  const state = asObject(part["state"]) ?? {};
  const metadata = asObject(state["metadata"]) ?? {};
  const id = stringIn(part, "callID");
  const name = stringIn(part, "tool");
  const { start, end } = asObject(state["time"]) ?? {};
  const hasFailed = state["status"] === "error";
  events.toolReady(id, name, state["input"]);
  events.toolDone(id, {
    ...(hasFailed ? { error: asString(state["error"]) ?? "It failed." } : { output: state["output"] }),
    ...optional("durationMs", typeof start === "number" && typeof end === "number" ? end - start : undefined),
    ...optional("exitCode", asNumber(metadata["exit"])),
    ...optional("diff", asText(metadata["diff"])),
  });
  if (name === DELEGATING_TOOL) subagent(asObject(state["input"]) ?? {}, metadata, state, events);
}

/** Reported when it ends; its messages are in its own session. */
function subagent(input: Json, metadata: Json, state: Json, events: EventAssembler): void {
  const subagentId = asText(metadata["sessionId"]);
  if (subagentId === undefined) return;
  const agentName = asText(input["subagent_type"]) ?? "agent";
  events.push({ type: "subagent_spawn", subagentId, agentName, prompt: stringIn(input, "prompt") });
  if (state["status"] === "error") {
    events.push({ type: "subagent_error", subagentId, agentName, error: stringIn(state, "error") });
  } else events.push({ type: "subagent_result", subagentId, agentName, summary: stringIn(state, "output") });
}

function stepFinish(part: Json, events: EventAssembler): void {
  const tokens = tokensOf(part, {});
  const usd = asNumber(part["cost"]) ?? 0;
  events.usage(tokens);
  // 0 is also the cost of a model without a known price.
  if (usd > 0) events.push({ type: "cost", cost: reportedCost(usd, tokens) });
  events.stepEnd();
  if (part["reason"] !== "tool-calls") events.turnEnd();
}

function failure(error: Json, events: EventAssembler, guidance: string): void {
  const data = asObject(error["data"]) ?? {};
  const message = asText(data["message"]) ?? asText(error["message"]) ?? asText(error["name"]) ?? "The run failed.";
  events.push(failureEvent({ message, status: asNumber(data["statusCode"]), guidance }));
  events.turnEnd();
}
