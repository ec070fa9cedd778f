/** Finds messages by kind or text from their raw lines; most are never parsed. */
import type { Wire } from "../../client/daemon-api.ts";
import { isErrorMessage, isServiceError } from "../../core/message-error.ts";
import type { SessionMessage } from "../../core/session.ts";
import { editsOf } from "../../core/tool-edits.ts";

type Message = Wire<SessionMessage>;

export const KINDS = ["prompts", "edits", "errors", "tools"] as const;
export type Kind = (typeof KINDS)[number];

/** Matches edits before parsing. */
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
      return isErrorMessage(parsed(line));
  }
}

/** Ignores case. */
export function holdsText(line: string, text: string): boolean {
  const wanted = text.toLowerCase();
  if (!line.toLowerCase().includes(JSON.stringify(wanted).slice(1, -1))) return false;
  const { content, thinking = "", toolCalls = [], toolResult } = parsed(line);
  const parts = [content, thinking, ...toolCalls.flatMap(({ toolName, input }) => [toolName, words(input)])];
  return [...parts, words(toolResult?.output)].some((part) => part.toLowerCase().includes(wanted));
}

/** All string values, without field names. */
function words(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return value === undefined ? "" : String(value);
  return Object.values(value).map(words).join("\n");
}

function parsed(line: string): Message {
  return JSON.parse(line) as Message;
}

/** A service error as a sentence instead of JSON; undefined for anything else. */
export function apiError(role: Message["role"], content: string): string | undefined {
  if (!isServiceError({ role, content })) return undefined;
  const [, code, json = "", rest = ""] = /^API Error:?\s*(\d{3})?\s*(\{.*\})(.*)$/s.exec(content) ?? [];
  const message = messageIn(json);
  // A system message that matches is an error; a reply may only mention one.
  if (message === undefined) return role === "system" ? content : undefined;
  return `API error${code === undefined ? "" : ` ${code}`}: ${message}${rest}`;
}

function messageIn(json: string): string | undefined {
  try {
    const { error, message } = JSON.parse(json) as { error?: { message?: unknown } | null; message?: unknown };
    const told = error?.message ?? message;
    return typeof told === "string" ? told : undefined;
  } catch {
    return undefined; // Text that only looks like JSON.
  }
}

/** Tags around text that an agent adds itself. */
const VENDOR_TAGS = /<\/?(?:persisted-output|tools-used-before-summary|local-command-std(?:out|err))>\n?/g;
/** Around a sub-agent's answer: whole and in a tool's result, because prompts use the same names. */
const TASK_FRAME =
  /^(?:<task id="[\w-]+" state="\w+">|task_id: \S+ \(.*\)\n)\n?<task_result>\n?(.*?)<\/task_result>\n?(?:<\/task>\n?)?$/s;

/** Files that were given with a prompt: in front of it, each in a tag. */
const ATTACHED = /^<file name="([^"\n]*)">\n?([^]*?)\n?<\/file>\s*/;

export interface AttachedFile {
  path: string;
  text: string;
}

/** The files given with a prompt, and the prompt itself. */
export function withoutAttached(role: Message["role"], content: string): { files: AttachedFile[]; rest: string } {
  const files: AttachedFile[] = [];
  let rest = content;
  for (let found = match(); found !== null; found = match()) {
    files.push({ path: found[1]!, text: found[2]! });
    rest = rest.slice(found[0].length);
  }
  return { files, rest };

  function match(): RegExpExecArray | null {
    return role === "user" ? ATTACHED.exec(rest) : null;
  }
}

/** The id of the sub-agent's own session that a tool's result names. */
export function subagentSession(content: string): string | undefined {
  return /^<task id="([\w-]+)" state="\w+">/.exec(content)?.[1];
}

export function withoutVendorTags({ role, content }: Pick<Message, "role" | "content">): string {
  const text = role === "tool" ? content.replace(TASK_FRAME, "$1") : content;
  return text.replaceAll(VENDOR_TAGS, "");
}
