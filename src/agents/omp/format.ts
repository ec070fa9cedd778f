/** What omp's records have beyond Pi's (`shared/tree-format.ts`). */
import { asObject, asObjects, asText } from "../../lib/json/fields.ts";

/** Entries beyond Pi's that change settings or do accounting; they are not messages. */
export const SILENT_TYPES: ReadonlySet<string> = new Set([
  "archive",
  "credential_pin",
  "mcp_tool_selection",
  "mode_change",
  "service_tier_change",
  "session_init",
  "ttsr_injection",
]);

/** Names of the agents that a call starts. */
export function agentsStartedBy({ toolName, input }: { toolName: string; input?: unknown }): string[] {
  if (toolName !== "task") return [];
  return asObjects(asObject(input)?.["tasks"]).flatMap((task) => asText(task["name"]) ?? []);
}
