/** What one record of a Gemini CLI chat is, whichever of the layouts it came from. */
import { asArray, asObject, asString, asText, asTime, type Json } from "../../lib/fields.ts";

export type RecordKind =
  | "prompt"
  | "reply"
  /** A `user` record that only carries tool results; the calls of the reply before it hold the same. */
  | "results"
  /** The summary a compression put in place of the conversation so far. */
  | "summary"
  /** An error, a warning or an interruption. */
  | "notice"
  /** Injected context, answers to it and notes of the user interface: nothing to show. */
  | "hidden";

const MESSAGE_TYPES = new Set(["user", "gemini", "info", "warning", "error"]);

export function isMessageType(type: unknown): type is string {
  return typeof type === "string" && MESSAGE_TYPES.has(type);
}

/** Openings of texts the program sends in the user's name. */
const INJECTED = [
  "<session_context>",
  "<hook_context>",
  // 0.2.2 had no tag around it.
  "This is the Gemini CLI. We are setting up the context for our chat.",
  "I ran the following shell command:",
  "Here is the user's editor context",
  "Here is a summary of changes in the user's editor context",
];
const SUMMARY = "<state_snapshot>";
/** What the program answers in the model's name to the context and to a compression's summary. */
const ACKNOWLEDGEMENT = /^Got it\. Thanks for the (?:additional )?context!$/;

export function kindOf(record: Json): RecordKind {
  switch (record["type"]) {
    case "gemini":
      return isAcknowledgement(record) ? "hidden" : "reply";
    case "user":
      if (responsesOf(record["content"]).length > 0) return "results";
      if (plainText(record["content"]).trimStart().startsWith(SUMMARY)) return "summary";
      return promptText(record) === "" ? "hidden" : "prompt";
    case "info":
      // Other notes tell of saved checkpoints, imports and the like; a compression leaves an empty one.
      return plainText(record["content"]).startsWith("Request cancelled") ? "notice" : "hidden";
    default:
      return plainText(record["content"]) === "" ? "hidden" : "notice";
  }
}

function isAcknowledgement(record: Json): boolean {
  return asObject(record["tokens"]) === undefined && ACKNOWLEDGEMENT.test(plainText(record["content"]));
}

/** What was typed. After a cancel the context and the first prompt are two parts of one record. */
export function promptText(record: Json): string {
  const typed: string[] = [];
  // displayContent is what was typed where content has files and commands filled in.
  for (const part of partsOf(record["displayContent"] ?? record["content"])) {
    const text = asText(part["text"]);
    if (text !== undefined && !isInjected(text)) typed.push(text);
    else if (asObject(part["inlineData"])) typed.push(placeholder(part));
  }
  return unwrapObjective(typed.join("\n"));
}

function isInjected(text: string): boolean {
  const start = text.trimStart();
  return INJECTED.some((opening) => start.startsWith(opening));
}

/** The built-in codebase_investigator gets its order inside a text of the vendor's. */
const OBJECTIVE = /^Your task is to .*?<objective>\s*(.*?)\s*<\/objective>\s*$/s;

function unwrapObjective(text: string): string {
  return OBJECTIVE.exec(text)?.[1] ?? text;
}

function placeholder(part: Json): string {
  return asText(asObject(part["inlineData"])?.["mimeType"])?.startsWith("image/") ? "[image]" : "[file]";
}

/** The visible text of a record, thoughts left out. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const part of partsOf(content)) if (part["thought"] !== true) text += asString(part["text"]) ?? "";
  return text;
}

/** Content is a string, a part, or a list of either; the same message changes its form when it is recorded again. */
export function partsOf(content: unknown): Json[] {
  const items = asArray(content) ?? [content];
  return items.flatMap<Json>((item) => (typeof item === "string" ? { text: item } : (asObject(item) ?? [])));
}

export interface Call {
  id: string;
  name: string;
  input: unknown;
  /** How it ended, where the record tells: `success`, `error`, `cancelled`. */
  status?: string;
  /** The function response, where it is in the same record. */
  response?: Json;
  /** When that was recorded. */
  at?: number;
}

/** Tool calls of a reply: its own list, or, in a history that was recorded again, its functionCall parts. */
export function callsOf(record: Json): Call[] {
  const listed = asArray(record["toolCalls"]);
  if (listed && listed.length > 0) return listed.flatMap((item) => listedCall(asObject(item)) ?? []);
  return partsOf(record["content"]).flatMap((part) => {
    const call = asObject(part["functionCall"]);
    const name = asText(call?.["name"]);
    return call && name !== undefined ? { id: asText(call["id"]) ?? name, name, input: call["args"] } : [];
  });
}

function listedCall(item: Json | undefined): Call | undefined {
  const name = asText(item?.["name"]);
  if (item === undefined || name === undefined) return undefined;
  const call: Call = { id: asText(item["id"]) ?? name, name, input: item["args"] };
  const status = asText(item["status"]);
  if (status !== undefined) call.status = status;
  // A resume copies the responses of all calls made at once into each of them.
  const responses = responsesOf(item["result"]);
  const own = responses.find((response) => response.id === call.id) ?? responses[0];
  const response = own?.response ?? writtenResult(item["result"]);
  if (response !== undefined) call.response = response;
  const at = timeOf(item);
  if (at !== undefined) call.at = at;
  return call;
}

function writtenResult(result: unknown): Json | undefined {
  const text = plainText(result);
  return text === "" ? undefined : { output: text };
}

export interface Response {
  id: string;
  name: string;
  response: Json;
}

export function responsesOf(content: unknown): Response[] {
  return partsOf(content).flatMap((part) => {
    const answer = asObject(part["functionResponse"]);
    if (answer === undefined) return [];
    const name = asText(answer["name"]) ?? "";
    return { id: asText(answer["id"]) ?? name, name, response: asObject(answer["response"]) ?? {} };
  });
}

export function thinkingOf(record: Json): string | undefined {
  const thoughts = (asArray(record["thoughts"]) ?? []).flatMap((item) => {
    const thought = asObject(item);
    const subject = asText(thought?.["subject"]);
    const text = [subject === undefined ? undefined : `**${subject}**`, asText(thought?.["description"])];
    return text.filter((piece) => piece !== undefined).join(" ");
  });
  const inline = partsOf(record["content"]).flatMap((part) =>
    part["thought"] === true ? (asText(part["text"]) ?? []) : [],
  );
  const all = thoughts.length > 0 ? thoughts : inline;
  return all.length > 0 ? all.join("\n\n") : undefined;
}

export function timeOf(record: Json): number | undefined {
  return asTime(record["timestamp"]);
}

const IMPORTED = "Imported session from ";

/** The note `--session-file` leaves: everything older was copied from another session. */
export function isImportNote(record: Json): boolean {
  return record["type"] === "info" && plainText(record["content"]).startsWith(IMPORTED);
}
