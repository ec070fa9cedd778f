/** Which messages are errors. */
import type { SessionMessage, SessionToolCall } from "./session.ts";

const SERVICE_ERROR = /^API Error\b/;

type Message = Pick<SessionMessage, "role" | "content"> & {
  toolCalls?: readonly Pick<SessionToolCall, "isError">[];
  toolResult?: { isError?: boolean };
};

/** Of a tool or of the service. */
export function isErrorMessage({ toolCalls = [], toolResult, ...message }: Message): boolean {
  if (toolResult?.isError === true || toolCalls.some((call) => call.isError === true)) return true;
  return isServiceError(message);
}

/** User text and tool output are never service errors, even if they look like one. */
export function isServiceError({ role, content }: Pick<SessionMessage, "role" | "content">): boolean {
  return (role === "assistant" || role === "system") && SERVICE_ERROR.test(content);
}
