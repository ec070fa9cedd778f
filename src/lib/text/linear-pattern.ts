/** Regular expressions from files, matched in linear time so that none can block a process. No look-around or back-references. */
import { RE2JS } from "re2js";

export class LinearPattern {
  readonly #compiled: RE2JS;

  /** Throws if the pattern is not in this syntax. */
  constructor(source: string) {
    this.#compiled = RE2JS.compile(source);
  }

  get groups(): number {
    return this.#compiled.groupCount();
  }

  /** The whole match and its groups; undefined without a match. */
  match(text: string): readonly (string | undefined)[] | undefined {
    for (const match of this.#compiled.matchAll(text)) return [...match];
    return undefined;
  }

  /** Replaces each non-empty match. */
  replaced(text: string, replacement: (match: string) => string): string {
    const parts: string[] = [];
    let end = 0;
    for (const match of this.#compiled.matchAll(text)) {
      if (match[0] === "") continue;
      parts.push(text.slice(end, match.index), replacement(match[0]));
      end = match.index! + match[0].length;
    }
    return parts.length === 0 ? text : parts.join("") + text.slice(end);
  }
}
