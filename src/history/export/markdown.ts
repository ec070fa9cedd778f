/** A session as Markdown. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import { withoutControls } from "../../lib/text/text.ts";
import type { SessionView } from "../session-view.ts";
import type { ExportOptions } from "./options.ts";
import { costText, factsOf, tokenFacts } from "./facts.ts";
import { limited } from "./limited.ts";

export function* exportMarkdown(view: SessionView, { limit }: ExportOptions): Generator<string> {
  const { summary } = view;
  yield `# ${summary.title === "" ? summary.unifiedId : escapeInline(summary.title)}\n\n`;
  for (const [label, value] of factsOf(summary)) yield `- **${label}:** ${escapeInline(value)}\n`;
  yield "\n---\n\n";
  const shown = limited(view.messages(), limit);
  let number = 0;
  for (const message of shown.items) yield messageBlock(message, number++);
  if (shown.cut()) yield `*… ${summary.messageCount - limit!} more messages*\n\n`;
  for (const helper of shown.cut() ? [] : view.subagents()) {
    yield `## Sub-agent ${escapeInline(helper.label ?? helper.id)}\n\n`;
    for (const [index, message] of helper.messages.entries()) yield messageBlock(message, index);
  }
  yield* costSection(view);
}

const HEADINGS = { user: "User", assistant: "Assistant", system: "System", tool: "Tool" } as const;

/** The number is the one by which searches and forks name the message. */
function messageBlock(message: SessionMessage, number: number): string {
  const parts = [`### ${HEADINGS[message.role]} #${number}${suffix(message)}\n`];
  if (message.thinking !== undefined && message.thinking !== "") {
    parts.push(`<details>\n<summary>Thinking</summary>\n\n${fenced(message.thinking, "text")}\n</details>\n`);
  }
  if (message.role === "tool") parts.push(`${fenced(message.content, "text")}\n`);
  else if (message.content !== "") parts.push(`${withoutControls(message.content)}\n`);
  for (const call of message.toolCalls ?? []) parts.push(callBlock(call));
  return `${parts.join("\n")}\n`;
}

function suffix(message: SessionMessage): string {
  const notes = [
    message.toolResult?.toolName,
    message.toolResult?.isError ? "failed" : undefined,
    message.inherited ? "inherited" : undefined,
    message.timestamp?.toISOString(),
  ].filter((note) => note !== undefined && note !== "");
  return notes.length > 0 ? ` — ${escapeInline(notes.join(" · "))}` : "";
}

function callBlock(call: SessionToolCall): string {
  const duration = call.durationMs === undefined ? "" : ` (${(call.durationMs / 1000).toFixed(1)} s)`;
  const input = typeof call.input === "string" ? call.input : jsonText(call.input, 2);
  return `**Tool call: ${escapeInline(call.toolName)}**${duration}\n\n${fenced(input ?? "", typeof call.input === "string" ? "text" : "json")}\n`;
}

/** A fence longer than any run of backticks inside, so that content cannot end it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${withoutControls(text)}\n${fence}\n`;
}

function escapeInline(text: string): string {
  return withoutControls(text).replace(/[\\`*_[\]<>#|]/g, String.raw`\$&`);
}

function* costSection({ summary: { cost } }: SessionView): Generator<string> {
  if (!cost) return;
  yield `---\n\n## Cost\n\n- **Total:** ${costText(cost)}\n`;
  for (const [label, value] of tokenFacts(cost)) yield `- **${label}:** ${value}\n`;
  if (cost.subagents) yield `- **Sub-agents' part:** ${costText(cost.subagents)}\n`;
}
