/** Days as people mean them: local ones. */

/** `YYYY-MM-DD` in the local time zone. */
export function localDay(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
