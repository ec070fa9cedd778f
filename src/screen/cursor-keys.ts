/** Arrows, Home and End in application cursor mode. */
const CURSOR_KEY = /\u001b\[([A-DFH])/g;

/** `keys` must contain keys only: the same sequences in text would be changed too. */
export function cursorKeys(keys: string, isApplication: boolean): string {
  return isApplication ? keys.replaceAll(CURSOR_KEY, "\u001bO$1") : keys;
}
