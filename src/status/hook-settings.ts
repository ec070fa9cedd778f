/**
 * Our entries in foreign JSON settings, under `hooks.<event>`. Everything else stays: other entries, settings, indentation, line
 * ends. Text in, text out.
 */
import type { IsOurs } from "../core/hooks.ts";
import { isDeepStrictEqual } from "node:util";
import { AgentMuxError } from "../core/errors.ts";
import { asArray, asObject, type Json } from "../lib/json/fields.ts";
import { hasStatusLine, withoutStatusLine, withStatusLine } from "./status-line-setting.ts";

export type Entries = Readonly<Record<string, readonly Json[]>>;

/** Beside the entries: other settings the file needs, and the command of a status line. */
export interface Extras {
  also?: Json;
  statusLine?: string;
}

/** Unchanged if exactly our entries are there. */
export function withEntries(
  text: string | undefined,
  entries: Entries,
  isOurs: IsOurs,
  path: string,
  { also = {}, statusLine }: Extras = {},
): string {
  const before = { ...also, ...(text === undefined ? {} : parse(text, path)) };
  const settings =
    statusLine === undefined ? withoutStatusLine(before, isOurs) : withStatusLine(before, statusLine, isOurs);
  const hasOurs = isDeepStrictEqual(ourEntries(settings, isOurs), entries) && isDeepStrictEqual(settings, before);
  if (text !== undefined && hasOurs) return text;
  const cleaned = strip(settings, isOurs);
  const hooks = hooksOf(cleaned, path);
  const next: Json = { ...hooks };
  for (const [event, list] of Object.entries(entries)) next[event] = [...listOf(hooks, event, path), ...list];
  return print({ ...cleaned, hooks: next }, text);
}

/** Undefined if none of ours is in it. */
export function withoutEntries(text: string, isOurs: IsOurs, path: string): string | undefined {
  const settings = parse(text, path);
  if (!hasEntries(settings, isOurs)) return undefined;
  return print(withoutStatusLine(strip(settings, isOurs), isOurs), text);
}

export function holdsEntries(text: string, isOurs: IsOurs, path: string): boolean {
  return hasEntries(parse(text, path), isOurs);
}

function hasEntries(settings: Json, isOurs: IsOurs): boolean {
  return Object.keys(ourEntries(settings, isOurs)).length > 0 || hasStatusLine(settings, isOurs);
}

/** Entries that are entirely ours, by event. One with another program's hook is not. */
function ourEntries(settings: Json, isOurs: IsOurs): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const [event, list] of Object.entries(asObject(settings["hooks"]) ?? {})) {
    const ours = (asArray(list) ?? []).filter((entry) => commandsIn(entry).some(isOurs));
    if (ours.length > 0) found[event] = ours;
  }
  return found;
}

function strip(settings: Json, isOurs: IsOurs): Json {
  const hooks = asObject(settings["hooks"]);
  if (hooks === undefined) return settings;
  const kept: Json = {};
  for (const [event, value] of Object.entries(hooks)) {
    const list = asArray(value);
    const rest = list?.flatMap((entry) => stripEntry(entry, isOurs));
    if (rest === undefined || rest.length > 0 || list!.length === 0) kept[event] = rest ?? value;
  }
  if (Object.keys(kept).length > 0 || Object.keys(hooks).length === 0) return { ...settings, hooks: kept };
  const { hooks: _, ...others } = settings;
  return others;
}

/** An entry is a hook itself, or contains a list of hooks. */
function stripEntry(entry: unknown, isOurs: IsOurs): unknown[] {
  const fields = asObject(entry);
  const inner = asArray(fields?.["hooks"]);
  if (fields === undefined || inner === undefined) return commandsIn(entry).some(isOurs) ? [] : [entry];
  const rest = inner.filter((hook) => !commandsIn(hook).some(isOurs));
  if (rest.length === inner.length) return [entry];
  return rest.length === 0 ? [] : [{ ...fields, hooks: rest }];
}

function commandsIn(entry: unknown): string[] {
  const fields = asObject(entry);
  if (fields === undefined) return [];
  const own = ["command", "bash"].flatMap((field) => (typeof fields[field] === "string" ? [fields[field]] : []));
  return [...own, ...(asArray(fields["hooks"]) ?? []).flatMap(commandsIn)];
}

function hooksOf(settings: Json, path: string): Json {
  const hooks = settings["hooks"];
  if (hooks === undefined) return {};
  const object = asObject(hooks);
  if (object === undefined) throw strange(path, "`hooks` is not an object");
  return object;
}

function listOf(hooks: Json, event: string, path: string): unknown[] {
  const value = hooks[event];
  const list = value === undefined ? [] : asArray(value);
  if (list === undefined) throw strange(path, `\`hooks.${event}\` is not a list`);
  return list;
}

function parse(text: string, path: string): Json {
  if (text.trim() === "" || text === BYTE_ORDER_MARK) return {};
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      `${path} is not plain JSON (${(error as Error).message}). It was left as it is.`,
      { cause: error },
    );
  }
  const settings = asObject(value);
  if (settings === undefined) throw strange(path, "it does not hold an object");
  return settings;
}

function strange(path: string, what: string): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", `${path} is not as expected: ${what}. It was left as it is.`);
}

const BYTE_ORDER_MARK = "\ufeff";

/** In the style of the existing text. */
function print(settings: Json, like: string | undefined): string {
  const indent = /^[\ufeff\s]*\{[ \t]*\r?\n([ \t]+)"/.exec(like ?? "")?.[1] ?? "  ";
  let text = JSON.stringify(settings, null, indent);
  if (like === undefined || like.endsWith("\n") || like.trim() === "") text += "\n";
  if (like?.includes("\r\n") === true) text = text.replaceAll("\n", "\r\n");
  return like?.startsWith(BYTE_ORDER_MARK) === true ? BYTE_ORDER_MARK + text : text;
}
