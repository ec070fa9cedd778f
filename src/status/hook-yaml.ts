/**
 * Our entries in foreign YAML settings, under `hooks.<event>`. Edits line by line, so that comments and layout stay; unusual
 * syntax is refused, never guessed.
 */
import { AgentMuxError } from "../core/errors.ts";
import type { IsOurs } from "../core/hooks.ts";

export type YamlEntries = Readonly<Record<string, readonly Readonly<Record<string, string | number>>[]>>;

/** Unchanged if exactly our entries are there. */
export function withYamlEntries(text: string | undefined, entries: YamlEntries, isOurs: IsOurs, path: string): string {
  const before = layoutOf(text ?? "", path);
  if (text !== undefined && isWanted(before, entries, isOurs)) return text;
  const cleaned = withoutYamlEntries(text ?? "", isOurs, path) ?? text ?? "";
  return added(layoutOf(cleaned, path), entries, path);
}

/** Undefined if none of ours is in it. */
export function withoutYamlEntries(text: string, isOurs: IsOurs, path: string): string | undefined {
  const layout = layoutOf(text, path);
  const gone = new Set<number>();
  for (const event of layout.events) {
    const ours = event.items.filter((item) => isOurs(textOf(layout, item)));
    if (ours.length === 0) continue;
    for (const { from, to } of ours.length === event.items.length ? [event] : ours)
      for (let line = from; line < to; line++) gone.add(line);
  }
  if (gone.size === 0) return undefined;
  const { hooks, lines } = layout;
  const isEmpty = layout.events.every((event) => gone.has(event.from));
  if (isEmpty) gone.add(hooks!.from);
  return joined(
    layout,
    lines.filter((_, index) => !gone.has(index)),
  );
}

export function holdsYamlEntries(text: string, isOurs: IsOurs, path: string): boolean {
  const layout = layoutOf(text, path);
  return layout.events.some(({ items }) => items.some((item) => isOurs(textOf(layout, item))));
}

/** A range of lines, the end excluded. */
interface Part {
  from: number;
  to: number;
}

interface Event extends Part {
  name: string;
  items: Part[];
  /** Indentation of its entries. */
  itemIndent: number;
}

interface Layout {
  mark: string;
  ending: string;
  lines: string[];
  /** The key `hooks` and everything below it. */
  hooks: Part | undefined;
  eventIndent: number;
  events: Event[];
}

const BYTE_ORDER_MARK = "\ufeff";
const INDENT = 2;

/** A key without a value, or with an empty one. */
const EMPTY_KEY = /^ *([\w-]+): *(?:\{\}|\[\]|null|~)? *(?:#.*)?$/;

function layoutOf(text: string, path: string): Layout {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const ending = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.slice(mark.length).split(/\r?\n/);
  const layout: Layout = { mark, ending, lines, hooks: undefined, eventIndent: INDENT, events: [] };
  // A list may have its key's indentation, here and below.
  const roots = range(0, lines.length).filter((index) => isRoot(lines[index]!));
  const first = firstContent(lines, 0, lines.length);
  if (first !== undefined && first !== roots[0]) throw strange(path, first, "it is not a key");
  for (const [order, index] of roots.entries()) checkRoot(lines[index]!, index, order, path);
  const starts = roots.filter((index) => /^(?:hooks|"hooks"|'hooks') *:/.test(lines[index]!));
  if (starts.length === 0) return layout;
  const [from] = starts;
  if (starts.length > 1 || !EMPTY_KEY.test(lines[from!]!)) throw strange(path, from!, "`hooks` is not a plain mapping");
  const to = endOf(lines, from! + 1, roots.find((index) => index > from!) ?? lines.length);
  const hooks = { from: from!, to };
  const below = firstContent(lines, hooks.from + 1, to);
  if (below !== undefined && isItem(lines[below]!)) throw strange(path, below, "`hooks` is not a plain mapping");
  const eventIndent = below === undefined ? INDENT : indentOf(lines[below]!);
  return { ...layout, hooks, eventIndent, events: eventsOf(lines, hooks, eventIndent, path) };
}

function checkRoot(line: string, index: number, order: number, path: string): void {
  const isKey = /^[^[\]{}&*!|>%@`,?-].*:(?: |$)/.test(line);
  const isStart = line.trimEnd() === "---" && order === 0;
  if (!isKey && !isStart) throw strange(path, index, "it is not a key");
}

function eventsOf(lines: readonly string[], hooks: Part, indent: number, path: string): Event[] {
  const content = range(hooks.from + 1, hooks.to).filter((index) => isContent(lines[index]!));
  const keys = content.filter((index) => indentOf(lines[index]!) <= indent && !isItem(lines[index]!));
  return keys.map((from, order) => {
    const line = lines[from]!;
    const name = EMPTY_KEY.exec(line)?.[1];
    const to = endOf(lines, from + 1, keys[order + 1] ?? hooks.to);
    const first = firstContent(lines, from + 1, to);
    if (indentOf(line) !== indent || (name === undefined && !/^ *[\w-]+:/.test(line)))
      throw strange(path, from, "it is not an event");
    // Not a list we can parse, but its lines still belong to it.
    if (name === undefined || (first !== undefined && !isItem(lines[first]!)))
      return { name: /^ *([\w-]+):/.exec(line)![1]!, from, to, items: [], itemIndent: -1 };
    const itemIndent = first === undefined ? indent + INDENT : indentOf(lines[first]!);
    return { name, from, to, items: itemsOf(lines, { from: from + 1, to }, itemIndent), itemIndent };
  });
}

function itemsOf(lines: readonly string[], { from, to }: Part, indent: number): Part[] {
  const starts = range(from, to).filter((index) => isItem(lines[index]!) && indentOf(lines[index]!) === indent);
  return starts.map((start, order) => ({ from: start, to: endOf(lines, start + 1, starts[order + 1] ?? to) }));
}

/** Trailing comments and blank lines belong to what follows. */
function endOf(lines: readonly string[], from: number, limit: number): number {
  let end = limit;
  while (end > from && !isContent(lines[end - 1]!)) end--;
  return end;
}

function isWanted(layout: Layout, entries: YamlEntries, isOurs: IsOurs): boolean {
  const found = layout.events.flatMap((event) =>
    event.items
      .map((item) => textOf(layout, item))
      .filter(isOurs)
      .map((text) => `${event.name}\n${dedented(text)}`),
  );
  const wanted = Object.entries(entries).flatMap(([name, list]) =>
    list.map((entry) => `${name}\n${printed(entry, 0).join("\n")}`),
  );
  return found.length === wanted.length && wanted.every((text) => found.includes(text));
}

function added(layout: Layout, entries: YamlEntries, path: string): string {
  const lines = [...layout.lines];
  const fresh: string[] = [];
  const inserts: { at: number; lines: string[] }[] = [];
  for (const [name, list] of Object.entries(entries)) {
    const event = layout.events.find((each) => each.name === name);
    if (event === undefined) {
      const indent = layout.eventIndent;
      fresh.push(`${" ".repeat(indent)}${name}:`, ...list.flatMap((entry) => printed(entry, indent + INDENT)));
      continue;
    }
    if (event.itemIndent < 0) throw strange(path, event.from, `\`hooks.${name}\` is not a plain list`);
    if (event.items.length === 0) lines[event.from] = withoutValue(lines[event.from]!);
    inserts.push({ at: event.to, lines: list.flatMap((entry) => printed(entry, event.itemIndent)) });
  }
  const { hooks } = layout;
  if (hooks === undefined) {
    while (lines.length > 0 && lines.at(-1) === "") lines.pop();
    lines.push("hooks:", ...fresh, "");
    return joined(layout, lines);
  }
  if (layout.events.length === 0) lines[hooks.from] = withoutValue(lines[hooks.from]!);
  inserts.push({ at: hooks.to, lines: fresh });
  // From the end, so that earlier positions stay valid; at the same position the later one comes second.
  for (const { at, lines: more } of inserts.toReversed().toSorted((a, b) => b.at - a.at)) lines.splice(at, 0, ...more);
  return joined(layout, lines);
}

/** A JSON string is also a YAML string. */
function printed(entry: Readonly<Record<string, string | number>>, indent: number): string[] {
  return Object.entries(entry).map(
    ([key, value], order) => `${" ".repeat(indent)}${order === 0 ? "- " : "  "}${key}: ${JSON.stringify(value)}`,
  );
}

function withoutValue(line: string): string {
  return line.replace(/^( *[\w-]+:) *(?:\{\}|\[\]|null|~)?/, "$1");
}

function textOf({ lines }: Layout, { from, to }: Part): string {
  return lines.slice(from, to).join("\n");
}

function dedented(text: string): string {
  const indent = indentOf(text);
  return text
    .split("\n")
    .map((line) => line.slice(indent))
    .join("\n");
}

function joined({ mark, ending }: Layout, lines: readonly string[]): string {
  return mark + lines.join(ending);
}

function isContent(line: string): boolean {
  return /^\s*[^\s#]/.test(line);
}

function isRoot(line: string): boolean {
  return isContent(line) && indentOf(line) === 0 && !isItem(line);
}

function isItem(line: string): boolean {
  return /^ *-(?: |$)/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function firstContent(lines: readonly string[], from: number, to: number): number | undefined {
  return range(from, to).find((index) => isContent(lines[index]!));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

function strange(path: string, line: number, what: string): AgentMuxError {
  return new AgentMuxError(
    "CONFIG_ERROR",
    `${path} is not as expected: line ${line + 1}: ${what}. It was left as it is.`,
  );
}
