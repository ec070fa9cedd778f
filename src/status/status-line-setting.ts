/**
 * The `statusLine` of foreign JSON settings: `{ "type": "command", "command": … }`. The user's own command becomes the last word
 * of ours, so that removal can restore it from the file alone.
 */
import type { IsOurs } from "../core/hooks.ts";
import { asObject, asText, type Json } from "../lib/json/fields.ts";
import { shellWord } from "../lib/text/shell-word.ts";

const FIELD = "statusLine";
const WITH = " --with ";

/** Settings with our command. Unchanged if a status line of another kind is there, which cannot be run beside ours. */
export function withStatusLine(settings: Json, command: string, isOurs: IsOurs): Json {
  const current = settings[FIELD];
  if (current === undefined) return { ...settings, [FIELD]: { type: "command", command } };
  const fields = asObject(current);
  const before = asText(fields?.["command"]);
  if (before === undefined || fields?.["type"] !== "command") return settings;
  const theirs = isOurs(before) ? theirsIn(before) : before;
  return {
    ...settings,
    [FIELD]: { ...fields, command: theirs === undefined ? command : `${command}${WITH}${quoted(theirs)}` },
  };
}

export function withoutStatusLine(settings: Json, isOurs: IsOurs): Json {
  const fields = asObject(settings[FIELD]);
  if (!hasStatusLine(settings, isOurs)) return settings;
  const theirs = theirsIn(asText(fields?.["command"]) ?? "");
  if (theirs !== undefined) return { ...settings, [FIELD]: { ...fields, command: theirs } };
  const { [FIELD]: _, ...others } = settings;
  return others;
}

export function hasStatusLine(settings: Json, isOurs: IsOurs): boolean {
  return isOurs(asText(asObject(settings[FIELD])?.["command"]) ?? "");
}

/** Always in quotes, so that the last word is easy to find. */
function quoted(word: string): string {
  const safe = shellWord(word);
  return safe.startsWith("'") ? safe : `'${safe}'`;
}

function theirsIn(command: string): string | undefined {
  const word = new RegExp(`${WITH}'([^]*)'$`).exec(command)?.[1];
  return word?.replaceAll(String.raw`'\''`, "'");
}
