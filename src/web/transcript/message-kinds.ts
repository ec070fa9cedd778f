/** Which messages of a conversation are of a kind, or hold a text: told from their lines, most of which are never parsed. */
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionMessage } from "../../core/session.ts";
import { editsOf } from "../../core/tool-edits.ts";

type Message = Wire<SessionMessage>;

export const KINDS = ["prompts", "edits", "errors", "tools"] as const;
export type Kind = (typeof KINDS)[number];

const API_ERROR = /^API Error\b/;
/** What an edit is recognised by before it is parsed. */
const EDIT_HINT = /"(?:edits|content|contents|file_text|text|patch\w*|diff|input|(?:old|new)_?(?:str\w*|text))":/i;

export function isOfKind(line: string, kind: Kind): boolean {
  switch (kind) {
    case "prompts":
      return line.includes('"role":"user"') && parsed(line).role === "user";
    case "tools":
      return line.includes('"toolCalls":[{') || line.includes('"toolResult":{');
    case "edits":
      if (!line.includes('"toolCalls":[{') || !EDIT_HINT.test(line)) return false;
      return (parsed(line).toolCalls ?? []).some(({ input }) => editsOf(input).length > 0);
    case "errors":
      if (!line.includes('"isError":true') && !line.includes("API Error")) return false;
      return isError(parsed(line));
  }
}

function isError({ content, toolCalls = [], toolResult }: Message): boolean {
  return API_ERROR.test(content) || toolResult?.isError === true || toolCalls.some((call) => call.isError === true);
}

/** Case does not matter. */
export function holdsText(line: string, text: string): boolean {
  const wanted = text.toLowerCase();
  if (!line.toLowerCase().includes(JSON.stringify(wanted).slice(1, -1))) return false;
  const { content, thinking = "", toolCalls = [], toolResult } = parsed(line);
  const parts = [content, thinking, ...toolCalls.flatMap(({ toolName, input }) => [toolName, words(input)])];
  return [...parts, words(toolResult?.output)].some((part) => part.toLowerCase().includes(wanted));
}

/** Every text inside, without the names of fields. */
function words(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return value === undefined ? "" : String(value);
  return Object.values(value).map(words).join("\n");
}

function parsed(line: string): Message {
  return JSON.parse(line) as Message;
}

/** An error of the service as a sentence instead of its JSON; undefined when it is none. */
export function apiError(content: string): string | undefined {
  if (!API_ERROR.test(content)) return undefined;
  const code = /^API Error:?\s*(\d{3})?/.exec(content)?.[1];
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(content)?.[1];
  if (message === undefined) return content;
  return `API error${code === undefined ? "" : ` ${code}`}: ${JSON.parse(`"${message}"`) as string}`;
}

/** Tags that an agent puts around what it adds by itself. */
const VENDOR_TAGS = /<\/?(?:persisted-output|tools-used-before-summary|local-command-std(?:out|err))>\n?/g;

export function withoutVendorTags(text: string): string {
  return text.replaceAll(VENDOR_TAGS, "");
}
