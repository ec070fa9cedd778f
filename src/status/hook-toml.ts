/**
 * Our tables in foreign TOML settings, as `[[hooks]]` at the end. Everything else stays as it is; settings that have `hooks` in
 * another form are refused.
 */
import { AgentMuxError } from "../core/errors.ts";
import type { IsOurs } from "../core/hooks.ts";

export type TomlTables = readonly Readonly<Record<string, string | number>>[];

const HEADER = "[[hooks]]";
const FIELD = /^\s*\w+\s*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|\d+)\s*$/;
const OTHER_FORM = /^[ \t]*(?:hooks[ \t]*[=.]|["']hooks["']|\[[ \t]*hooks[ \t]*[\].]|\[\[[ \t]*hooks[ \t]*\.)/m;

/** Unchanged if exactly our tables are there. */
export function withTomlTables(text: string | undefined, tables: TomlTables, isOurs: IsOurs, path: string): string {
  const before = text ?? "";
  if (OTHER_FORM.test(before)) {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      `${path} has its hooks in a form that amux does not change. It was left as it is.`,
    );
  }
  const ending = before.includes("\r\n") ? "\r\n" : "\n";
  const ours = tables.map((table) => [HEADER, ...Object.entries(table).map(fieldOf)].join(ending));
  const lines = before.split(/\r?\n/);
  const found = partsIn(lines, isOurs).map(({ from, to }) => lines.slice(from, to).join(ending));
  if (text !== undefined && JSON.stringify(found) === JSON.stringify(ours)) return text;
  const rest = withoutTomlTables(before, isOurs) ?? before;
  const gap = rest === "" ? "" : rest.endsWith("\n") ? ending : ending + ending;
  return `${rest}${gap}${ours.join(ending + ending)}${ending}`;
}

/** Undefined if none of ours is in it. */
export function withoutTomlTables(text: string, isOurs: IsOurs): string | undefined {
  const lines = text.split("\n");
  const parts = partsIn(lines, isOurs);
  if (parts.length === 0) return undefined;
  const gone = new Set<number>();
  for (const { from, to } of parts) {
    for (let at = from; at < to; at++) gone.add(at);
    // The blank line that separates it from what is above.
    if (from > 0 && lines[from - 1]!.trim() === "") gone.add(from - 1);
  }
  return lines.filter((_, at) => !gone.has(at)).join("\n");
}

export function holdsTomlTables(text: string, isOurs: IsOurs): boolean {
  return partsIn(text.split("\n"), isOurs).length > 0;
}

/** Our tables, as ranges of lines, the end excluded. */
function partsIn(lines: readonly string[], isOurs: IsOurs): { from: number; to: number }[] {
  return lines.flatMap((line, from) => {
    if (line.trim() !== HEADER) return [];
    let to = from + 1;
    while (to < lines.length && FIELD.test(lines[to]!)) to++;
    return isOurs(lines.slice(from, to).join("\n")) ? [{ from, to }] : [];
  });
}

/** JSON's strings are TOML's too. */
function fieldOf([key, value]: [string, string | number]): string {
  return `${key} = ${JSON.stringify(value)}`;
}
