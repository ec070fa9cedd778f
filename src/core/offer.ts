/** One of the answers that a session offers, as it goes over the wire. */
export interface OfferedOption {
  /** What it is picked by: a digit or a letter. */
  number?: string | undefined;
  label: string;
  /** What Enter at the terminal would take now. */
  marked?: boolean | undefined;
  /** Of a checkbox. */
  checked?: boolean | undefined;
  /** Words of one's own can be given instead. */
  takes_text?: boolean | undefined;
}
