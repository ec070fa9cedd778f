/** Pieces of command lines. */

/** A flag with its value, or nothing. */
export function withValue(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)];
}

/** A flag without a value, or nothing. */
export function when(condition: boolean, ...flags: string[]): string[] {
  return condition ? flags : [];
}
