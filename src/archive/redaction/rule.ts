/** One kind of secret. */
export interface Rule {
  name: string;
  pattern: RegExp;
  /** Which of the pattern's groups is the secret; the whole match when left out. */
  group?: number;
  /** For patterns that alone would take too much. */
  isSecret?(text: string): boolean;
  /** What it finds may as well be harmless: a person has to look at the session before it is sent. */
  isUnsure?: boolean;
}
