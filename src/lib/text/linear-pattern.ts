/**
 * Regular expressions that come from files. They are matched in linear time, so that none of them can stop a process;
 * look-around and back-references are not part of the language.
 */
import { RE2JS } from "re2js";

export class LinearPattern {
  readonly #compiled: RE2JS;

  /** Throws when it is not a pattern of the language. */
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

  /** Each match that is not empty, with something else in its place. */
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
