/** Arrows, Home and End as applications want them that have switched to their own cursor keys. */
const CURSOR_KEY = /\u001b\[([A-DFH])/g;

/** `keys` are nothing but keys: text that holds such a sequence would be changed with them. */
export function cursorKeys(keys: string, isApplication: boolean): string {
  return isApplication ? keys.replaceAll(CURSOR_KEY, "\u001bO$1") : keys;
}
