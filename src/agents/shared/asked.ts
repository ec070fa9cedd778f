/** What an agent wants to do, in one line, and a name for it under which its end is known again. */
import type { HookReport } from "../../core/hooks.ts";
import type { OfferedOption } from "../../core/offer.ts";
import { asArray, asObject, asText, type Json } from "../../lib/json/fields.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";

export interface Asked {
  ask: string;
  message: string;
}

const MAX_MESSAGE = 500;

/** The fields that say most about a call, in this order. */
const TELLING = ["command", "file_path", "path", "notebook_path", "url", "query", "pattern", "plan", "description"];

/** The fields that are the same when it is asked for and when it is done. */
const LASTING = ["file_path", "notebook_path", "command", "url"];

export function asked(tool: string, input: unknown): Asked {
  const fields = asObject(input) ?? {};
  const telling = TELLING.map((name) => asText(fields[name])).find((text) => text !== undefined);
  // The rest may differ between the question and the end: descriptions come and go, an edit is changed before it is allowed.
  const lasting = LASTING.map((name) => asText(fields[name])).find((text) => text !== undefined);
  const identity = lasting ?? JSON.stringify(input ?? null);
  const message = telling === undefined ? tool : `${tool}: ${telling}`;
  return { ask: nameOf(`${tool}\n${identity}`), message: shortText(message) ?? tool };
}

/** The text of a question put to the user, from the shapes agents use for it. */
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

/** What a question put to the user offers to pick from; of several questions, what the first does. */
export function questionOffer(input: unknown): Pick<HookReport, "options" | "several"> {
  const fields = asObject(input);
  const list = fields?.["questions"];
  const first = asObject(Array.isArray(list) ? list[0] : input);
  const options = (asArray(first?.["options"]) ?? []).slice(0, MAX_OPTIONS).flatMap((option, at): OfferedOption[] => {
    const label = asText(asObject(option)?.["label"] ?? option);
    return label === undefined ? [] : [{ number: String(at + 1), label: truncate(oneLine(label), MAX_LABEL) }];
  });
  const isSeveral = first?.["multiSelect"] === true || first?.["multiple"] === true;
  return options.length === 0 ? {} : { options, ...(isSeveral ? { several: true } : {}) };
}

/** One line of a text from outside; undefined when it is none or says nothing. */
export function shortText(value: unknown): string | undefined {
  // Tool input can be megabytes; what is shown needs its beginning only.
  return typeof value === "string"
    ? asText(truncate(oneLine(value.slice(0, 4 * MAX_MESSAGE)), MAX_MESSAGE))
    : undefined;
}

/** FNV-1a, twice with different seeds: two things asked in one session will not share it. */
function nameOf(text: string): string {
  return [0x811c9dc5, 0x01000193].map((seed) => fnv(text, seed).toString(16).padStart(8, "0")).join("");
}

function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
