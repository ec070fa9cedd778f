/** One message without its secrets. */
import type { SessionMessage } from "../core/session.ts";
import type { Finding, Redactor } from "./redactor.ts";

export function redactMessage(
  message: SessionMessage,
  where: string,
  redactor: Redactor,
  findings: Finding[],
): SessionMessage {
  const { timestamp, ...rest } = message;
  const clean = redactor.value(rest, where, findings) as SessionMessage;
  return timestamp === undefined ? clean : { ...clean, timestamp };
}
