/** Classifies records of a Gemini CLI chat for a reader. */
import type { Json } from "../../lib/json/fields.ts";
import { hasTokens, isInfo, isReply, isUser, responsesOf, textOf, typedParts } from "./format.ts";

export type RecordKind =
  | "prompt"
  | "reply"
  /** A `user` record with only tool results; the calls of the previous reply hold the same. */
  | "results"
  /** The summary by which a compression replaced the conversation so far. */
  | "summary"
  /** An error, a warning or an interruption. */
  | "notice"
  /** Injected context, answers to it and notes of the user interface: nothing to show. */
  | "hidden";

/** Prefixes of texts that Gemini CLI sends in the user's name. */
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
/** Gemini CLI's answers in the model's name to the context and to a compression's summary. */
const ACKNOWLEDGEMENT = /^Got it\. Thanks for the (?:additional )?context!$/;

export function kindOf(record: Json): RecordKind {
  const text = textOf(record);
  if (isReply(record)) return !hasTokens(record) && ACKNOWLEDGEMENT.test(text) ? "hidden" : "reply";
  if (isUser(record)) {
    if (responsesOf(record).length > 0) return "results";
    if (text.trimStart().startsWith(SUMMARY)) return "summary";
    return promptText(record) === "" ? "hidden" : "prompt";
  }
  // Other notes are about saved checkpoints, imports and the like; a compression leaves an empty one.
  if (isInfo(record)) return text.startsWith("Request cancelled") ? "notice" : "hidden";
  return text === "" ? "hidden" : "notice";
}

/** The typed text. After a cancel the context and the first prompt are two parts of one record. */
export function promptText(record: Json): string {
  const typed = typedParts(record).filter(({ text, isText }) => !isText || !isInjected(text));
  return unwrapObjective(typed.map(({ text }) => text).join("\n"));
}

function isInjected(text: string): boolean {
  const start = text.trimStart();
  return INJECTED.some((opening) => start.startsWith(opening));
}

/** The built-in codebase_investigator gets its task inside a fixed text. */
const OBJECTIVE = /^Your task is to .*?<objective>\s*(.*?)\s*<\/objective>\s*$/s;

function unwrapObjective(text: string): string {
  return OBJECTIVE.exec(text)?.[1] ?? text;
}

const IMPORTED = "Imported session from ";

/** The note that `--session-file` leaves: everything older was copied from another session. */
export function isImportNote(record: Json): boolean {
  return isInfo(record) && textOf(record).startsWith(IMPORTED);
}
