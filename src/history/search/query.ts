/** Parses the query language, which `amux search --help` describes. */
import { AgentMuxError } from "../../core/errors.ts";
import { DATE_EXAMPLES, parseDateRange } from "../../lib/values/typed-date.ts";
import { stepsOf } from "./words.ts";

/** Words at consecutive positions; the last may be a prefix. */
export interface Sequence {
  steps: readonly string[];
  prefix: boolean;
}

export const ROLES = ["user", "assistant", "system", "tool"] as const;

/** A condition on a message; one of the alternatives must match. */
export type MessageField =
  | { field: "role"; roles: readonly string[] }
  | { field: "tool" | "file"; anyOf: readonly Sequence[] };

export type SessionField =
  | { field: "agent" | "model" | "cwd" | "branch" | "title"; anyOf: readonly Sequence[] }
  | { field: "before" | "after"; ms: number };

export type Query =
  /** All of these, within messages that match all fields of `within`, if any. */
  | { kind: "all"; of: readonly Query[]; within: readonly MessageField[] }
  | { kind: "any"; of: readonly Query[] }
  | { kind: "not"; of: Query }
  | { kind: "text"; text: Sequence }
  | { kind: "session"; test: SessionField };

const MESSAGE_FIELDS = ["role", "tool", "file"] as const;
const DATE_FIELDS = ["before", "after"] as const;
export const FIELDS = ["agent", "model", "cwd", "branch", "title", ...DATE_FIELDS, ...MESSAGE_FIELDS] as const;
type FieldName = (typeof FIELDS)[number];

/** Nobody types deeper nesting. */
const MAX_DEPTH = 50;

/** Undefined for an empty query. Throws VALIDATION_ERROR with the position. */
export function parseQuery(text: string, now = new Date()): Query | undefined {
  if (text.trim() === "") return undefined;
  return new Parser(text, now).parse();
}

interface Token {
  kind: "(" | ")" | "-" | "OR" | "AND" | "quoted" | "word" | "end";
  /** Without quotes and asterisk. */
  text: string;
  field?: FieldName;
  prefix: boolean;
  start: number;
  end: number;
}

/** The tokens that end a conjunction. */
const ENDS: ReadonlySet<string> = new Set(["end", ")", "OR"]);

class Parser {
  readonly #text: string;
  readonly #now: Date;
  #at = 0;
  #token: Token;
  #previous: Token;

  constructor(text: string, now: Date) {
    this.#text = text;
    this.#now = now;
    this.#token = this.#read();
    this.#previous = this.#token;
  }

  parse(): Query | undefined {
    const query = this.#any(0);
    if (this.#token.kind === ")") throw this.#error('There is no "(" for this ")".', this.#token);
    return query;
  }

  #any(depth: number): Query | undefined {
    const branches: Query[] = [];
    for (;;) {
      const branch = this.#all(depth);
      const { kind } = this.#token;
      if (branch) branches.push(branch);
      else if (kind === "OR") throw this.#error("OR needs something on its left.", this.#token);
      else if (branches.length > 0) throw this.#error("OR needs something on its right.", this.#previous);
      if (kind !== "OR") break;
      this.#advance();
    }
    if (branches.length === 0) return undefined;
    return branches.length === 1 ? branches[0] : { kind: "any", of: branches };
  }

  /** Undefined if there is nothing before the next OR, parenthesis or the end. */
  #all(depth: number): Query | undefined {
    const of: Query[] = [];
    const within: MessageField[] = [];
    const { start } = this.#token;
    for (;;) {
      const token = this.#token;
      if (ENDS.has(token.kind)) break;
      if (token.kind === "AND") {
        if (token.start === start) throw this.#error("AND needs something on its left.", token);
        this.#advance();
        if (ENDS.has(this.#token.kind) || this.#token.kind === "AND") {
          throw this.#error("AND needs something on its right.", token);
        }
        continue;
      }
      const unit = this.#unit(depth);
      if (unit && "message" in unit) within.push(unit.message);
      else if (unit) of.push(unit.query);
    }
    if (this.#token.start === start) return undefined;
    if (of.length === 0 && within.length === 0) {
      throw this.#error("Type at least one letter or digit.", { start, end: this.#previous.end });
    }
    return of.length === 1 && within.length === 0 ? of[0] : { kind: "all", of, within };
  }

  #unit(depth: number): { query: Query } | { message: MessageField } | undefined {
    const token = this.#token;
    if (depth >= MAX_DEPTH) throw this.#error(`More than ${MAX_DEPTH} levels of parentheses.`, token);
    this.#advance();
    if (token.kind === "-") {
      if (ENDS.has(this.#token.kind) || this.#token.kind === "AND") {
        throw this.#error(`${token.text} needs something to leave out.`, token);
      }
      const unit = this.#unit(depth + 1);
      if (unit === undefined) return undefined;
      const of: Query = "message" in unit ? { kind: "all", of: [], within: [unit.message] } : unit.query;
      return { query: { kind: "not", of } };
    }
    if (token.kind === "(") return this.#group(token, depth);
    if (token.field !== undefined) return this.#field(token, token.field);
    const steps = stepsOf(token.text);
    if (steps.length > 0) return { query: { kind: "text", text: { steps, prefix: token.prefix } } };
    if (token.kind === "quoted") throw this.#error("There is no letter or digit between these quotes.", token);
    return undefined;
  }

  #group(open: Token, depth: number): { query: Query } {
    const query = this.#any(depth + 1);
    if (this.#token.kind !== ")") throw this.#error('This "(" is never closed.', open);
    const close = this.#token;
    this.#advance();
    if (query === undefined) {
      throw this.#error("There is nothing between these parentheses.", { start: open.start, end: close.end });
    }
    return { query };
  }

  #field(token: Token, field: FieldName): { query: Query } | { message: MessageField } {
    const values = this.#values(token, field);
    switch (field) {
      case "before":
      case "after":
        return { query: { kind: "session", test: { field, ms: this.#moment(token, field) } } };
      case "role":
        return { message: { field, roles: values.map((value) => this.#role(value, token)) } };
      case "tool":
      case "file":
        return { message: { field, anyOf: values.map((value) => this.#sequence(value, field, token)) } };
      default: {
        const anyOf = values.map((value) => this.#sequence(value, field, token));
        return { query: { kind: "session", test: { field, anyOf } } };
      }
    }
  }

  #values(token: Token, field: FieldName): string[] {
    const values = token.kind === "quoted" ? [token.text] : token.text.split(",").filter((value) => value !== "");
    if (values.length === 0) throw this.#error(`${field}: needs a value right behind it.`, token);
    return values;
  }

  #sequence(value: string, field: string, token: Token): Sequence {
    const steps = stepsOf(value);
    if (steps.length === 0) throw this.#error(`There is no letter or digit in the value of ${field}:.`, token);
    return { steps, prefix: token.kind === "quoted" ? token.prefix : value.endsWith("*") };
  }

  #role(value: string, token: Token): string {
    const role = value.toLowerCase();
    if ((ROLES as readonly string[]).includes(role)) return role;
    throw this.#error(`role: is one of ${ROLES.join(", ")}.`, token);
  }

  #moment(token: Token, field: string): number {
    const named = parseDateRange(token.text, this.#now);
    if (named !== undefined) return named.from;
    throw this.#error(`${field}: takes a date such as ${DATE_EXAMPLES}.`, token);
  }

  #error(sentence: string, { start, end }: { start: number; end: number }): Error {
    return queryError(sentence, this.#text, start, Math.max(end, start + 1));
  }

  #advance(): void {
    this.#previous = this.#token;
    this.#token = this.#read();
  }

  #read(): Token {
    const text = this.#text;
    while (this.#at < text.length && /\s/.test(text[this.#at]!)) this.#at++;
    const start = this.#at;
    const character = text[start];
    const token = (kind: Token["kind"], end: number): Token => {
      this.#at = end;
      return { kind, text: text.slice(start, end), prefix: false, start, end };
    };
    if (character === undefined) return token("end", start);
    if (character === "(" || character === ")") return token(character, start + 1);
    // A dash by itself is punctuation.
    if (character === "-" && /\S/.test(text[start + 1] ?? " ")) return token("-", start + 1);
    if (character === '"') return this.#quoted(start, start);
    const beginning = text.slice(start, start + LONGEST_FIELD);
    const field = beginning.includes(":") ? FIELD.exec(beginning) : null;
    if (field) return this.#fieldToken(start, start + field[0].length, field[1]!.toLowerCase() as FieldName);
    const end = wordEnd(text, start);
    const word = text.slice(start, end);
    if (word === "OR" || word === "AND") return token(word, end);
    if (word === "NOT" && text.slice(end).trim() !== "") return token("-", end);
    return { ...token("word", end), prefix: word.endsWith("*") };
  }

  #quoted(start: number, open: number): Token {
    const close = this.#text.indexOf('"', open + 1);
    if (close === -1) throw this.#error("This quote is never closed.", { start: open, end: open + 1 });
    const prefix = this.#text[close + 1] === "*";
    const end = close + (prefix ? 2 : 1);
    this.#at = end;
    return { kind: "quoted", text: this.#text.slice(open + 1, close), prefix, start, end };
  }

  #fieldToken(start: number, valueStart: number, field: FieldName): Token {
    if (this.#text[valueStart] === '"') return { ...this.#quoted(start, valueStart), field };
    const end = wordEnd(this.#text, valueStart);
    this.#at = end;
    return { kind: "word", text: this.#text.slice(valueStart, end), prefix: false, field, start, end };
  }
}

const FIELD = new RegExp(`^(${FIELDS.join("|")}):`, "i");
const LONGEST_FIELD = 12;

/** Up to white space, a quote, or a parenthesis that is not closed within the word: `render(x)` is one word. */
function wordEnd(text: string, start: number): number {
  let open = 0;
  let opened = start;
  let at = start;
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (/[\s"]/.test(character) || (character === ")" && open === 0)) break;
    if (character === "(" && open++ === 0) opened = at;
    else if (character === ")") open--;
  }
  return open > 0 ? opened : at;
}

/** Characters of the query that an error shows on either side of the position. */
const CONTEXT = 60;

/** An error in a query: one sentence, then the query with a mark under the position. */
export function queryError(sentence: string, query: string, start: number, end = start + 1): AgentMuxError {
  const from = Math.max(0, start - CONTEXT);
  const shown = flat(query.slice(from, Math.max(end, start) + CONTEXT));
  const before = columns(flat(query.slice(from, start)));
  const marks = "^".repeat(Math.max(1, columns(flat(query.slice(start, Math.min(end, query.length))))));
  return new AgentMuxError("VALIDATION_ERROR", `${sentence}\n  ${shown}\n  ${" ".repeat(before)}${marks}`);
}

/** One column per control character, so that the mark stays in place. */
function flat(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ");
}

/** Fullwidth and East Asian wide characters take two columns. */
function columns(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
  let width = 0;
  for (const character of text) width += wide.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1;
  return width;
}
