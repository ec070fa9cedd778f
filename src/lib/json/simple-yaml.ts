/**
 * The YAML subset people write settings in: nested mappings, lists of scalars, quotes, comments, and one-line `{a: b}` or `[a,
 * b]`. Scalars stay text. Anything else is an error with its line.
 */

export type Yaml = string | Yaml[] | { [key: string]: Yaml };

export class YamlError extends Error {
  constructor(line: number, what: string) {
    super(`line ${line}: ${what}`);
    this.name = "YamlError";
  }
}

interface Line {
  number: number;
  indent: number;
  text: string;
}

export function parseYaml(source: string): Yaml {
  const lines = source
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .map((raw, index): Line => {
      const text = withoutComment(raw).trimEnd();
      const indent = text.length - text.trimStart().length;
      if (/^ *\t/.test(text)) throw new YamlError(index + 1, "tabs cannot indent");
      return { number: index + 1, indent, text: text.trimStart() };
    })
    .filter(({ text, number }) => text !== "" && !(text === "---" && number === 1));
  if (lines.length === 0) return {};
  const reader = new Reader(lines);
  const value = reader.block(lines[0]!.indent);
  reader.expectEnd();
  return value;
}

class Reader {
  readonly #lines: readonly Line[];
  #next = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  block(indent: number): Yaml {
    return /^-(?: |$)/.test(this.#lines[this.#next]!.text) ? this.#list(indent) : this.#map(indent);
  }

  expectEnd(): void {
    const line = this.#lines[this.#next];
    if (line !== undefined) throw new YamlError(line.number, "unexpected indentation");
  }

  #map(indent: number): Yaml {
    const map: { [key: string]: Yaml } = {};
    for (let line = this.#at(indent); line !== undefined; line = this.#at(indent)) {
      const pair = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s:#"'[\]{}&*!|>%@-][^:]*?)\s*:(?:\s+(.*))?$/.exec(line.text);
      if (pair === null) throw new YamlError(line.number, "expected `key: value`");
      const key = scalar(pair[1]!, line.number) as string;
      if (key === "__proto__") throw new YamlError(line.number, "this key is not allowed");
      this.#next++;
      map[key] = pair[2] === undefined || pair[2] === "" ? this.#nested(indent) : scalar(pair[2], line.number);
    }
    return map;
  }

  #list(indent: number): Yaml {
    const list: Yaml[] = [];
    for (let line = this.#at(indent); line !== undefined; line = this.#at(indent)) {
      const item = /^-\s+(.*)$/.exec(line.text)?.[1];
      if (item === undefined) throw new YamlError(line.number, "only lists of plain values are understood");
      this.#next++;
      list.push(scalar(item, line.number));
    }
    return list;
  }

  /** The block indented under a key; an empty one is empty text. A list may have the key's own indentation. */
  #nested(indent: number): Yaml {
    const line = this.#lines[this.#next];
    if (line === undefined) return "";
    const isList = /^-(?: |$)/.test(line.text);
    return line.indent > indent || (isList && line.indent === indent) ? this.block(line.indent) : "";
  }

  #at(indent: number): Line | undefined {
    const line = this.#lines[this.#next];
    if (line === undefined || line.indent < indent) return undefined;
    if (line.indent > indent) throw new YamlError(line.number, "unexpected indentation");
    return line;
  }
}

function scalar(text: string, line: number): Yaml {
  const value = text.trim();
  if (value.startsWith('"')) return doubleQuoted(value, line);
  if (value.startsWith("'")) {
    if (!/^'(?:[^']|'')*'$/.test(value)) throw new YamlError(line, "a quote is not closed");
    return value.slice(1, -1).replaceAll("''", "'");
  }
  if (value.startsWith("[")) return flowItems(value, "]", line).map((item) => scalar(item, line));
  if (value.startsWith("{")) return Object.fromEntries(flowItems(value, "}", line).map((item) => flowPair(item, line)));
  if (/^[&*!|>%@`]/.test(value)) throw new YamlError(line, `"${value[0]}" is not understood here`);
  return value;
}

function doubleQuoted(value: string, line: number): string {
  try {
    return JSON.parse(value) as string;
  } catch {
    throw new YamlError(line, "a quote is not closed");
  }
}

function flowItems(value: string, end: string, line: number): string[] {
  const inner = value.slice(1, -1).trim();
  if (!value.endsWith(end) || /[[\]{}]/.test(inner)) throw new YamlError(line, "this is too nested for one line");
  if (inner === "") return [];
  return inner.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g)?.map((item) => item.trim()) ?? [];
}

function flowPair(item: string, line: number): [string, Yaml] {
  const pair = /^([^:]+?)\s*:\s*(.*)$/.exec(item);
  if (pair === null) throw new YamlError(line, "expected `key: value`");
  return [scalar(pair[1]!, line) as string, scalar(pair[2]!, line)];
}

/** A `#` starts a comment at the start or after a blank, outside of quotes. */
function withoutComment(text: string): string {
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (quote !== "") {
      const isEscape = quote === '"' ? character === "\\" : character === quote && text[index + 1] === quote;
      if (isEscape) index++;
      else if (character === quote) quote = "";
    } else if ((character === '"' || character === "'") && /[\s:[{,-]/.test(text[index - 1] ?? " ")) quote = character;
    else if (character === "#" && /\s/.test(text[index - 1] ?? " ")) return text.slice(0, index);
  }
  return text;
}
