/** Where reading of a grown session resumes. Plain data: it is stored with the index entry. */
export interface GrowthPoint {
  /** The first message that is read again, since it may have been incomplete. */
  message: number;
  /** Its byte offset in the session's own file. */
  offset: number;
  /** The adapter's state before it. */
  state: unknown;
}
