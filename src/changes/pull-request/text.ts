/** Title and body of a session's pull request. */
import type { SessionMessage, SessionSummary } from "../../core/session.ts";
import { beginning, oneLine, truncate, withoutControls } from "../../lib/text/text.ts";

/** As long as GitHub shows in one line. */
const MAX_TITLE = 72;
/** GitHub takes 65,536 characters. */
const MAX_BODY = 20_000;

export function pullRequestTitle({ title }: Pick<SessionSummary, "title">, branch: string): string {
  return truncate(oneLine(title).trim(), MAX_TITLE) || branch;
}

/** The agent's last words, which sum up what it did, and where they come from. */
export function pullRequestBody(
  messages: Iterable<SessionMessage>,
  { unifiedId, model }: Pick<SessionSummary, "unifiedId" | "model">,
): string {
  let last = "";
  for (const { role, content, inherited } of messages)
    if (role === "assistant" && inherited !== true && content.trim() !== "") last = content;
  const words = withoutControls(last).trim();
  const cut = words.length > MAX_BODY ? `${beginning(words, MAX_BODY)}…` : words;
  const by = model === undefined ? "" : ` (${oneLine(model)})`;
  const link = `Made in the session \`${unifiedId}\`${by}. To read it: \`amux show ${unifiedId}\``;
  return [cut, link].filter((part) => part !== "").join("\n\n---\n");
}
