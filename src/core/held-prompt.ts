/** A queued prompt that was not sent, or may not have arrived. */
export interface HeldPrompt {
  /** `q-` and six characters. */
  id: string;
  text: string;
  /** Why. */
  note: string;
  /** Milliseconds since the epoch. */
  since: number;
  cwd: string;
  /** Absent for one that starts a session. */
  session?: string;
  /** Of the session that it was to start. */
  agent?: string;
}
