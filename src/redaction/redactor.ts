/**
 * Removes secrets from texts and JSON values. Encoded data is removed whole; a value that cannot be inspected is an error, and
 * the session stays on the machine.
 */
import { LinearPattern } from "../lib/text/linear-pattern.ts";
import { maintainedFindings, type FoundRange } from "./maintained-rules.ts";
import type { Rule } from "./rule.ts";
import { isSecretKey, RULES, SECRET_VARIABLE } from "./rules.ts";

export interface Finding {
  rule: string;
  /** Path in the session: `messages[3].toolCalls[0].input.command`. */
  where: string;
  /** Number of removed characters. */
  length: number;
  /** It may be harmless; a session with such a finding is not sent without confirmation. */
  isUnsure?: true;
}

/** A value that cannot be inspected. Its session is not sent. */
export class UnreadableValue extends Error {}

export interface RedactorOptions {
  /** The user's rules, as regular expressions matched in linear time. */
  patterns?: readonly { name: string; pattern: string }[];
  /** Only these, without the built-in rules. */
  only?: boolean;
  /** Environment whose secret-named variables are redacted wherever their values occur. */
  vars?: Readonly<Record<string, string | undefined>>;
  /** Further values that are redacted wherever they occur. */
  values?: readonly string[];
}

/** Shorter values are words that occur anywhere. */
const MIN_VARIABLE = 8;
/** Images, archives and the like; shorter runs are hashes and names. */
const ENCODED = /[\w+/=-]{512,}/g;
const MAX_DEPTH = 200;
const MAX_LABEL = 64;
/** A replacement must not create another match. */
const MAX_ROUNDS = 3;
/** Keys, ids and messages come again and again, as text and in raw records; each is inspected once. In characters. */
const MAX_KNOWN_TEXT = 4096;
const MAX_KNOWN = 1_000_000;

/** For private use: no text has it. */
export const MASK = "\uE000";

interface Cleaned {
  clean: string;
  found: readonly Finding[];
}

type Replace = (rule: string, secret: string) => string;

export class Redactor {
  readonly #own: readonly { name: string; pattern: LinearPattern }[];
  readonly #literals: RegExp | undefined;
  readonly #onlyOwn: boolean;
  readonly #known = new Map<string, Cleaned>();
  #knownLength = 0;

  constructor({ patterns = [], only = false, vars = {}, values: further = [] }: RedactorOptions = {}) {
    this.#onlyOwn = only;
    this.#own = patterns.map(({ name, pattern }) => ({ name, pattern: new LinearPattern(pattern) }));
    const values = [...secretValues(vars), ...further];
    this.#literals = values.length === 0 ? undefined : new RegExp(values.map(escaped).join("|"), "g");
  }

  text(text: string, where: string, findings: Finding[]): string {
    const known = text.length > MAX_KNOWN_TEXT ? undefined : this.#known.get(text);
    const { clean, found } = known ?? this.#learned(text, where);
    for (const finding of found) findings.push({ ...finding, where });
    return clean;
  }

  #learned(text: string, where: string): Cleaned {
    const found: Finding[] = [];
    const cleaned = { clean: this.#cleaned(text, where, found, (rule) => `[redacted ${rule}]`), found };
    if (text.length > MAX_KNOWN_TEXT) return cleaned;
    this.#knownLength += text.length + 1;
    if (this.#knownLength > MAX_KNOWN) {
      this.#known.clear();
      this.#knownLength = text.length + 1;
    }
    this.#known.set(text, cleaned);
    return cleaned;
  }

  /** The same text with every character of a secret replaced by `MASK`, so that each keeps its place. */
  masked(text: string, where: string, findings: Finding[]): string {
    return this.#cleaned(text.replaceAll(MASK, " "), where, findings, (_, secret) => MASK.repeat(secret.length));
  }

  #cleaned(text: string, where: string, findings: Finding[], replace: Replace): string {
    let clean = text;
    for (let round = 0; ; round++) {
      const next = this.#once(clean, where, findings, replace);
      if (next === clean) return clean;
      if (round === MAX_ROUNDS) throw new UnreadableValue(`${where} still holds what looks like a secret`);
      clean = next;
    }
  }

  #once(text: string, where: string, findings: Finding[], replace: Replace): string {
    const take = (rule: string, secret: string, isUnsure = false): string => {
      findings.push({ rule, where, length: secret.length, ...(isUnsure ? { isUnsure } : {}) });
      return replace(rule, secret);
    };
    let clean = text;
    if (this.#literals) clean = clean.replace(this.#literals, (secret) => take("environment", secret));
    if (clean.length >= 512 && !this.#onlyOwn)
      clean = clean.replace(ENCODED, (data) => (isLine(data) ? data : take("encoded-data", data)));
    for (const { name, pattern } of this.#own) {
      clean = pattern.replaced(clean, (secret) => (isTaken(secret) ? secret : take(name, secret)));
    }
    if (this.#onlyOwn) return clean;
    for (const rule of RULES) {
      clean = taken(clean, findingsOf(rule, clean), (name, secret) => take(name, secret, rule.isUnsure));
    }
    clean = taken(clean, maintainedFindings(clean), take);
    return clean;
  }

  /** Redacts the texts in a JSON value, and all texts and numbers below a key that marks them as secret (`isNamed`). */
  value(value: unknown, where: string, findings: Finding[], depth = 0, isNamed = false): unknown {
    if (value === null || value === undefined || typeof value === "boolean") return value;
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      if (isNamed && text.length > 3 && !isTaken(text)) {
        findings.push({ rule: "named-secret", where, length: text.length });
        return "[redacted named-secret]";
      }
      return typeof value === "number" ? value : this.text(value, where, findings);
    }
    if (depth > MAX_DEPTH) throw new UnreadableValue(`${where} is nested deeper than ${MAX_DEPTH} levels`);
    if (Array.isArray(value))
      return value.map((item, index) => this.value(item, `${where}[${index}]`, findings, depth + 1, isNamed));
    if (typeof value !== "object" || !isPlain(value)) throw new UnreadableValue(`${where} is not a JSON value`);
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
      this.text(key, where, findings),
      this.value(item, `${where}.${key}`, findings, depth + 1, isNamed || (!this.#onlyOwn && isSecretKey(key))),
    ]);
    return Object.fromEntries(entries);
  }

  /** For ids and names that must stay unchanged: one that looks like a secret is an error. */
  require(text: string, where: string): string {
    const findings: Finding[] = [];
    this.text(text, where, findings);
    // Ids look random: only certain findings count.
    const sure = findings.find(({ isUnsure }) => !isUnsure);
    if (sure !== undefined) throw new UnreadableValue(`${where} looks like a secret (${sure.rule})`);
    return text;
  }
}

/** Values of variables with secret-like names. */
export function secretValues(vars: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(vars).flatMap(([name, value]) =>
    value !== undefined && value.length >= MIN_VARIABLE && SECRET_VARIABLE.test(name) && !isPath(value) ? [value] : [],
  );
}

/** Replaces what was found. Replacements of an earlier rule are left alone. */
function taken(text: string, found: readonly FoundRange[], take: (rule: string, secret: string) => string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { rule, start, end } of found) {
    if (start < at) continue;
    const secret = text.slice(start, Math.max(end, wordAfterMark(text, start)));
    if (isTaken(secret)) continue;
    parts.push(text.slice(at, start), take(rule, secret));
    at = start + secret.length;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(at);
}

const PLACED = /\[redacted(?: [a-z0-9-]+)?\]/g;
/** Rules that end at a space find only the start of a replacement; of a text that only begins like one, the next word counts too. */
const MARK = /\[redacted(?: [a-z0-9-]+\]|\s+\S+)/y;

function wordAfterMark(text: string, start: number): number {
  MARK.lastIndex = start;
  return MARK.test(text) ? MARK.lastIndex : start;
}

/** Only a replacement. */
function isTaken(text: string): boolean {
  return text.replace(PLACED, "").replaceAll(MASK, "").trim() === "";
}

function findingsOf({ name, pattern, group, isSecret }: Rule, text: string): FoundRange[] {
  const found: FoundRange[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const secret = group === undefined ? match[0] : group > 0 ? match[group] : match.slice(1).find(Boolean);
    if (match[0] === "") pattern.lastIndex++;
    if (secret === undefined) continue;
    const start = match.index + match[0].lastIndexOf(secret);
    if (isSecret === undefined || isSecret(secret)) found.push({ rule: name, start, end: start + secret.length });
    // A matched value may be the label of the real one.
    else if (secret.length <= MAX_LABEL) pattern.lastIndex = Math.max(start, match.index + 1);
  }
  return found;
}

/** A line drawn with one character. */
function isLine(text: string): boolean {
  return new Set(text).size <= 2;
}

function isPath(text: string): boolean {
  return /^(?:~|\.{0,2})\//.test(text);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
