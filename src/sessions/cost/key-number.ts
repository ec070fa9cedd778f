/**
 * A number for a request's key (FNV-1a). Two keys with one number only make two sessions be settled together, or two
 * requests be compared, for nothing.
 */
export function keyNumber(key: string): number {
  let number = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) number = Math.imul(number ^ key.charCodeAt(i), 0x01000193);
  return number >>> 0;
}
