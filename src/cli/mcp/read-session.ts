/** A part of a session that fits into an agent's token budget. */
import type { SessionMessage } from "../../core/session.ts";
import { truncate } from "../../lib/text/text.ts";

/** A rough estimate, safe for code: a token is about four characters of English. */
export const CHARACTERS_PER_TOKEN = 4;
/** No single message takes a larger share. */
const LARGEST_SHARE = 0.5;

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
    const content = truncate(message.content, Math.max(1, Math.floor(budget * LARGEST_SHARE)));
    const tools = (message.toolCalls ?? []).map(({ toolName }) => toolName);
    if (parts.length > 0 && used + content.length > budget) next = index;
    else {
      used += content.length;
      parts.push({ index, role: message.role, content, ...(tools.length > 0 ? { tools } : {}) });
    }
  }
  return { messages: parts, messageCount: index + 1, ...(next === undefined ? {} : { next }) };
}
