/** What an agent wants to do, in one line, and a key that matches the request to its end. */
import type { HookReport } from "../../core/hooks.ts";
import type { OfferedOption } from "../../core/offer.ts";
import { asArray, asObject, asText, type Json } from "../../lib/json/fields.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";

export interface Asked {
  ask: string;
  message: string;
}

const MAX_MESSAGE = 500;

/** The most informative fields of a call, in this order. */
const TELLING = ["command", "file_path", "path", "notebook_path", "url", "query", "pattern", "plan", "description"];

/** The fields that are equal in the request and in the completed call. */
const LASTING = ["file_path", "notebook_path", "command", "url"];

export function asked(tool: string, input: unknown): Asked {
  const fields = asObject(input) ?? {};
  const telling = TELLING.map((name) => asText(fields[name])).find((text) => text !== undefined);
  // Other fields may differ: descriptions come and go, and an edit may be changed before it is allowed.
  const lasting = LASTING.map((name) => asText(fields[name])).find((text) => text !== undefined);
  const identity = lasting ?? JSON.stringify(input ?? null);
  const message = telling === undefined ? tool : `${tool}: ${telling}`;
  return { ask: nameOf(`${tool}\n${identity}`), message: shortText(message) ?? tool };
}

/** The request of a tool's hook, in Claude Code's notation. */
export function toolRequest(payload: Json): Asked {
  return asked(asText(payload["tool_name"]) ?? "tool", payload["tool_input"]);
}

/** For a hook that comes when a tool has ended. */
export function toolEnd(payload: Json): HookReport {
  return { state: "working", ask: toolRequest(payload).ask };
}

/** The text of a question to the user, in the notations agents use. */
export function questionText(input: unknown): string | undefined {
  const fields = asObject(input);
  const list = fields?.["questions"];
  const questions = (Array.isArray(list) ? list : [fields]).flatMap((item) => {
    const question: Json | undefined = asObject(item);
    return asText(question?.["question"]) ?? asText(question?.["header"]) ?? [];
  });
  return shortText(questions.join(" · "));
}

/** More than any question has. */
const MAX_OPTIONS = 20;
const MAX_LABEL = 200;

/** The choices of a question to the user; of several questions, those of the first. */
export function questionOffer(input: unknown): Pick<HookReport, "options" | "several"> {
  const fields = asObject(input);
  const list = fields?.["questions"];
  const first = asObject(Array.isArray(list) ? list[0] : input);
  const options = (asArray(first?.["options"]) ?? []).slice(0, MAX_OPTIONS).flatMap((option, at): OfferedOption[] => {
    const label = asText(asObject(option)?.["label"] ?? option);
    return label === undefined ? [] : [{ number: String(at + 1), label: truncate(oneLine(label), MAX_LABEL) }];
  });
  const isSeveral = ["multiSelect", "multi_select", "multiple"].some((name) => first?.[name] === true);
  return options.length === 0 ? {} : { options, ...(isSeveral ? { several: true } : {}) };
}

/** What the events of an agent's hooks mean, by their names. */
export type EventReports<Fields extends unknown[] = [payload: Json]> = Readonly<
  Record<string, (...fields: Fields) => HookReport | undefined>
>;

/** Undefined for an event that reports nothing. */
export function reportOf<Fields extends unknown[]>(
  reports: EventReports<Fields>,
  event: string,
  ...fields: Fields
): HookReport | undefined {
  return Object.hasOwn(reports, event) ? reports[event]!(...fields) : undefined;
}

export function questionReport(input: unknown): HookReport {
  return { state: "waiting", ...optional("message", questionText(input)), ...questionOffer(input) };
}

/** The `message` of a report, if the text is not empty. */
export function telling(text: unknown): { message?: string } {
  return optional("message", shortText(text));
}

/** One line of foreign text; undefined if it is not text or is empty. */
export function shortText(value: unknown): string | undefined {
  // Tool input can be megabytes; only its start is shown.
  return typeof value === "string"
    ? asText(truncate(oneLine(value.slice(0, 4 * MAX_MESSAGE)), MAX_MESSAGE))
    : undefined;
}

/** FNV-1a, twice with different seeds, so that two requests of one session do not collide. */
function nameOf(text: string): string {
  return [0x811c9dc5, 0x01000193].map((seed) => fnv(text, seed).toString(16).padStart(8, "0")).join("");
}

function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
