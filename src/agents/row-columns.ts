/** The columns that rows of usage lie in. */

/** One value for each row in every column. */
export interface RowColumns {
  at: Float64Array;
  input: Float64Array;
  cached: Float64Array;
  cacheWrite: Float64Array;
  cacheWrite1h: Float64Array;
  output: Float64Array;
  thinking: Float64Array;
  webSearches: Float64Array;
  reported: Float64Array;
  flags: Uint8Array;
  model: Int32Array;
  cwd: Int32Array;
  branch: Int32Array;
  subagent: Int32Array;
  modifiers: Int32Array;
  /** FNV-1a of the key: rows with different numbers are different requests. */
  keyNumber: Uint32Array;
  /** Where its key lies among those that were taken over. */
  keyStart: Uint32Array;
  keyLength: Uint32Array;
}

export function columnsOf(rows: number): RowColumns {
  return {
    at: new Float64Array(rows),
    input: new Float64Array(rows),
    cached: new Float64Array(rows),
    cacheWrite: new Float64Array(rows),
    cacheWrite1h: new Float64Array(rows),
    output: new Float64Array(rows),
    thinking: new Float64Array(rows),
    webSearches: new Float64Array(rows),
    reported: new Float64Array(rows),
    flags: new Uint8Array(rows),
    model: new Int32Array(rows),
    cwd: new Int32Array(rows),
    branch: new Int32Array(rows),
    subagent: new Int32Array(rows),
    modifiers: new Int32Array(rows),
    keyNumber: new Uint32Array(rows),
    keyStart: new Uint32Array(rows),
    keyLength: new Uint32Array(rows),
  };
}

/**
 * Where columns and keys lie if not in memory of their own. It may have moved whenever somebody else has worked there: then what it
 * has given before has no length any more, and is asked for again.
 */
export interface RowRoom {
  /** For so many rows, or more, with all that they held. */
  columns(rows: number): RowColumns;
  /** For so many bytes, or more. */
  keys(bytes: number): Buffer;
  /** It may be used for others: nothing is looked at any more. */
  close(): void;
}
