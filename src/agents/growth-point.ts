/** Where the reading of a grown session begins. Plain data: it is kept with what was read. */
export interface GrowthPoint {
  /** The first message that is read again; it may have been incomplete. */
  message: number;
  /** The byte of the session's own file it begins at. */
  offset: number;
  /** What the adapter must know of all before it. */
  state: unknown;
}
