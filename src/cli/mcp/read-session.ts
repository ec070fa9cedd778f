/** A part of a session that fits into an agent's token budget. */
import type { SessionMessage } from "../../core/session.ts";
import { truncate } from "../../lib/text/text.ts";
import { CHARACTERS_PER_TOKEN, lengthWithin, weightOf } from "./token-budget.ts";

/** No single message takes a larger share. */
const LARGEST_SHARE = 0.5;
/** Of one message. */
const MAX_TOOLS = 20;
const MAX_NAME = 60;

interface Part {
  index: number;
  role: string;
  content: string;
  tools?: string[];
}

export interface Excerpt {
  messages: Part[];
  messageCount: number;
  /** Where to continue; absent at the end. */
  next?: number;
}

export function excerptOf(messages: Iterable<SessionMessage>, from: number, maxTokens: number): Excerpt {
  const budget = maxTokens * CHARACTERS_PER_TOKEN;
  const parts: Part[] = [];
  let [used, index] = [0, -1];
  let next: number | undefined;
  for (const message of messages) {
    index++;
    if (index < from || next !== undefined) continue;
    const content = truncate(message.content, Math.max(1, lengthWithin(message.content, budget * LARGEST_SHARE)));
    const tools = (message.toolCalls ?? []).slice(0, MAX_TOOLS).map(({ toolName }) => truncate(toolName, MAX_NAME));
    const part = { index, role: message.role, content, ...(tools.length > 0 ? { tools } : {}) };
    // Thousands of messages may have no words, and one may call hundreds of tools.
    const size = weightOf(JSON.stringify(part));
    if (parts.length > 0 && used + size > budget) next = index;
    else {
      used += size;
      parts.push(part);
    }
  }
  return { messages: parts, messageCount: index + 1, ...(next === undefined ? {} : { next }) };
}
