import { readText } from "../../lib/fs/foreign-file.ts";
/** `workspace.yaml` beside the events: a flat list of keys. Strings may be quoted or, with line breaks, a block. */

export type Workspace = ReadonlyMap<string, string>;

const NOTHING: Workspace = new Map();

export function readWorkspace(path: string | undefined): Workspace {
  if (path === undefined) return NOTHING;
  try {
    return parseWorkspace(readText(path));
  } catch {
    // Optional: the events have the same facts.
    return NOTHING;
  }
}

export function parseWorkspace(text: string): Workspace {
  const values = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const pair = /^([\w-]+):(?:\s+(.*))?$/.exec(lines[index]!);
    if (pair === null) continue;
    const [, key, written = ""] = pair;
    const rest: string[] = [];
    while (index + 1 < lines.length && /^(?:\s|$)/.test(lines[index + 1]!)) rest.push(lines[++index]!);
    values.set(key!, valueOf(written.trim(), rest));
  }
  return values;
}

function valueOf(written: string, rest: readonly string[]): string {
  if (/^[|>][+-]?\d*$/.test(written)) return blockOf(rest, written.startsWith("|") ? "\n" : " ");
  // A long plain or quoted string is folded over indented lines.
  const folded = [written, ...rest.map((line) => line.trim())].join(" ").trim();
  if (folded.startsWith("'")) return folded.replace(/^'|'$/g, "").replaceAll("''", "'");
  if (folded.startsWith('"')) return unescape(folded);
  return folded;
}

function blockOf(lines: readonly string[], separator: string): string {
  const indent = /^\s*/.exec(lines[0] ?? "")![0].length;
  return lines
    .map((line) => line.slice(indent))
    .join(separator)
    .trimEnd();
}

function unescape(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    // YAML has more escapes than JSON; the text is readable without decoding them.
    return quoted.replace(/^"|"$/g, "");
  }
}
