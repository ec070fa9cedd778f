/**
 * Recognises the user's prompts. Codex sends much else in the user's name; where prompts have no event, user items are prompts
 * unless they start like a known insertion.
 */
import { asArray, asString, type Json } from "../../lib/json/fields.ts";
import { KIND, roleOf } from "./format.ts";
import {
  authorOf,
  contentKinds,
  contentOf,
  contentOfItem,
  encryptedParts,
  IMAGE,
  partText,
  promptEvent,
} from "./format-items.ts";
import type { Entry } from "./thread-stream.ts";

export type PromptSource = "events" | "items";

/** The prompt text of a record; undefined for any other record. */
export function promptText(
  entry: Pick<Entry, "record" | "foreign" | "ofSubagent" | "agentPath">,
  source: PromptSource,
): string | undefined {
  const { record } = entry;
  switch (record.type) {
    case KIND.prompt:
      return source === "events" ? promptOfEvent(record.payload) : undefined;
    case KIND.promptItem:
      return entry.foreign ? undefined : promptOfParts(contentOfItem(record.payload));
    case KIND.message:
      return (record.bare || source === "items") && record.role === "user" ? promptOfItem(record.payload) : undefined;
    case KIND.agentMessage:
      return entry.ofSubagent && !isBy(entry.agentPath, record.payload) ? taskOf(record.payload) : undefined;
    default:
      return undefined;
  }
}

/** The prompt of an event; undefined for insertions. */
function promptOfEvent(payload: Json): string | undefined {
  const { isTyped, text, pictures } = promptEvent(payload);
  if (!isTyped) return undefined;
  const typed = withoutIdeContext(text);
  return typed === "" && pictures > 0 ? IMAGE : typed;
}

/** The prompt in the parts of an item. */
function promptOfParts(content: unknown): string {
  return withoutIdeContext(textOfContent(content));
}

/** The prompt of a user item; undefined for insertions. */
export function promptOfItem(message: Json): string | undefined {
  if (roleOf(message) !== "user" || isInserted(message)) return undefined;
  return promptOfParts(contentOf(message));
}

/** Text parts of a message in any notation; images are named. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = (asArray(content) ?? []).map(partText);
  return texts.filter((text) => text !== "").join("\n");
}

/** Prefixes of texts that Codex inserts in the user's name. */
const INSERTIONS = [
  "<environment_context>",
  "<user_instructions>",
  "# AGENTS.md instructions",
  "<INSTRUCTIONS>",
  "<permissions instructions>",
  "<collaboration_mode>",
  "<model_switch>",
  "<skill>",
  "<skills_instructions>",
  "<hook_prompt",
  "<turn_aborted>",
  "<subagent_notification>",
  "<user_action>",
  "<user_shell_command>",
  "<recommended_plugins>",
  "<codex_internal_context",
  "<goal_context>",
  // Compaction: the summary request, and two ways of passing the summary on
  "You have exceeded the maximum number of tokens",
  "You are performing a CONTEXT CHECKPOINT COMPACTION",
  "You were originally given instructions from a user",
  "Another language model started to solve this problem",
];

function isInserted(message: Json): boolean {
  const kinds = contentKinds(message);
  if (kinds !== undefined && kinds.length > 0) return !kinds.some((kind) => asString(kind)?.startsWith("user."));
  const content = contentOf(message);
  const parts = typeof content === "string" ? [content] : (asArray(content) ?? []);
  return parts.some((part) => INSERTIONS.some((insertion) => partText(part).trimStart().startsWith(insertion)));
}

/** Editor extensions put open files and selections before the request. */
function withoutIdeContext(text: string): string {
  const request = "## My request for Codex:";
  const at = text.startsWith("# Context from my IDE setup") ? text.indexOf(request) : -1;
  return at === -1 ? text : text.slice(at + request.length).trim();
}

/** Whether a message between agents is a sub-agent's own. */
function isBy(agentPath: string | undefined, message: Json): boolean {
  return agentPath !== undefined && authorOf(message) === agentPath;
}

/** The service's encrypted texts are Fernet tokens. */
const CIPHERTEXT = /^gAAAA[\w-]*=*$/;

/**
 * A sub-agent of the second kind gets its task as a message between agents: a few header lines and "Payload:", then the task, in
 * the same text or in its own part. An encrypted task is shown by its name.
 */
function taskOf(message: Json): string | undefined {
  const text = textOfContent(contentOf(message));
  if (text.startsWith("Message Type: FINAL_ANSWER")) return undefined;
  const plain = encryptedParts(message)
    .filter((part) => !CIPHERTEXT.test(part))
    .join("\n");
  const [, payload] = /\nPayload:\n([\s\S]*)$/.exec(`${text}\n`) ?? [];
  const task = [payload?.trim() ?? "", plain].filter((piece) => piece !== "").join("\n");
  if (task !== "") return task;
  return (/^Task name: (.+)$/m.exec(text)?.[1] ?? text).trim();
}

/** The working directory in an environment insertion: versions before the envelope have it nowhere else. */
export function cwdInEnvironment(message: Json): string | undefined {
  const text = textOfContent(contentOf(message));
  if (!text.startsWith("<environment_context>")) return undefined;
  return (/<cwd>([^<]+)<\/cwd>/.exec(text) ?? /Current working directory: (.+)/.exec(text))?.[1];
}
