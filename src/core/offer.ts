/** One option of a session's question, as sent over the wire. */
export interface OfferedOption {
  /** The key that picks it: a digit or a letter. */
  number?: string | undefined;
  label: string;
  /** The option that Enter would choose now. */
  marked?: boolean | undefined;
  /** State of a checkbox. */
  checked?: boolean | undefined;
  /** Free text can be given instead. */
  takes_text?: boolean | undefined;
}
