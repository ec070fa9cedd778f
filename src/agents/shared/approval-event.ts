/** A request for approval, worded alike for all agents. */
import type { EventBody, RiskLevel } from "../../core/agent-event.ts";
import { asObject, asText } from "../../lib/json/fields.ts";

const SUBJECTS = ["command", "cmd", "file_path", "filePath", "path", "url"];

const RISKS: Readonly<Record<string, RiskLevel>> = { bash: "high", shell: "high", exec_command: "high" };

export function approvalEvent(interactionId: string, toolName: string, input: unknown): EventBody {
  const fields = asObject(input) ?? {};
  const subject = SUBJECTS.map((name) => asText(fields[name])).find((text) => text !== undefined);
  return {
    type: "approval_request",
    interactionId,
    action: toolName,
    detail: subject ?? JSON.stringify(input) ?? "",
    toolName,
    riskLevel: RISKS[toolName.toLowerCase()] ?? "medium",
  };
}
