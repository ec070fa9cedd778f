/** The `timestamp` of a message that may have none, for object literals. Rounded to milliseconds. */
export function withTimestamp(at: number | undefined): { timestamp?: Date } {
  return at === undefined ? {} : { timestamp: new Date(Math.round(at)) };
}
