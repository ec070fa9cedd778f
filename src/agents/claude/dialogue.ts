/**
 * Input to Claude Code (`--input-format stream-json`): prompts, interruptions, and answers to control requests, which it sends if
 * started with `--permission-prompt-tool stdio`.
 */
import type { EventBody, RiskLevel } from "../../core/agent-event.ts";
import type { InteractionAnswer } from "../../core/run-result.ts";
import { asObjects, asString, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";

export interface ToolRequest {
  toolName: string;
  input: Json;
}

/** The tool by which the model asks the user. Approving it with the answers filled in answers it. */
const ASKING_TOOL = "AskUserQuestion";

const RISKS: Readonly<Record<string, RiskLevel>> = { Bash: "high", Read: "low", Glob: "low", Grep: "low" };

export function promptMessage(content: string | readonly Json[]): string {
  return line({ type: "user", message: { role: "user", content } });
}

export function interruptMessage(): string {
  return line({ type: "control_request", request_id: crypto.randomUUID(), request: { subtype: "interrupt" } });
}

export function questionEvent(interactionId: string, { toolName, input }: ToolRequest, reason?: string): EventBody {
  if (toolName === ASKING_TOOL) {
    const questions = asObjects(input["questions"]);
    const labels = questions
      .flatMap((question) => asObjects(question["options"]))
      .map((option) => asText(option["label"]));
    return {
      type: "input_required",
      interactionId,
      question: questionTexts(input).join("\n"),
      ...optional("context", labels.length > 0 ? labels.join(", ") : undefined),
      source: "tool",
    };
  }
  const subject =
    asText(input["command"]) ?? asText(input["file_path"]) ?? asText(input["url"]) ?? JSON.stringify(input);
  return {
    type: "approval_request",
    interactionId,
    action: toolName,
    detail: reason === undefined ? subject : `${subject} (${reason})`,
    toolName,
    riskLevel: RISKS[toolName] ?? "medium",
  };
}

export function answerMessage(requestId: string, request: ToolRequest, answer: InteractionAnswer): string {
  const response = { subtype: "success", request_id: requestId, response: decision(request, answer) };
  return line({ type: "control_response", response });
}

function decision({ toolName, input }: ToolRequest, answer: InteractionAnswer): Json {
  switch (answer.type) {
    case "approve":
      return { behavior: "allow", updatedInput: input };
    case "deny":
      return { behavior: "deny", message: answer.reason ?? "The user refused this." };
    default: {
      if (toolName !== ASKING_TOOL) return { behavior: "deny", message: answer.text };
      const answers = Object.fromEntries(questionTexts(input).map((question) => [question, answer.text]));
      return { behavior: "allow", updatedInput: { ...input, answers } };
    }
  }
}

function questionTexts(input: Json): string[] {
  return asObjects(input["questions"]).map((question) => asString(question["question"]) ?? "");
}

function line(message: Json): string {
  return `${JSON.stringify(message)}\n`;
}
