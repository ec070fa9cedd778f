export interface ExportOptions {
  /** Only the first messages. */
  limit?: number;
  /** Adds the agent's native records (json only). */
  raw?: boolean;
}
