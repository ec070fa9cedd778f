/** One kind of secret. */
export interface Rule {
  name: string;
  pattern: RegExp;
  /** The pattern's group that is the secret; the whole match by default. */
  group?: number;
  /** For patterns that alone would match too much. */
  isSecret?(text: string): boolean;
  /** A finding may be harmless: somebody has to review the session before it is sent. */
  isUnsure?: boolean;
}
