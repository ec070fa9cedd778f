/** Narrows foreign JSON. Agents change their formats without notice, so a wrong shape gives undefined instead of an exception. */

export type Json = Record<string, unknown>;

export function asObject(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function asArray(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The objects in an array; other elements are skipped. */
export function asObjects(value: unknown): Json[] {
  const objects: Json[] = [];
  for (const item of asArray(value) ?? []) {
    const object = asObject(item);
    if (object !== undefined) objects.push(object);
  }
  return objects;
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A non-empty string. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Any value as a string for a key or a count. `String` would call an object's own `toString`. */
export function wordOf(value: unknown): string {
  return typeof value === "object" && value !== null ? "{}" : String(value);
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** More tokens than this in one request is a broken record, not a bill (one store held 1.33e179). */
const MAX_TOKENS = 1e12;

/** A token count that can be summed: a whole number from 0 up; anything else is 0. */
export function asTokens(value: unknown): number {
  return typeof value === "number" && value > 0 && value <= MAX_TOKENS ? Math.round(value) : 0;
}

/** Milliseconds since the epoch from an ISO string, seconds or milliseconds; undefined outside 2000..2100. */
export function asTime(value: unknown): number | undefined {
  let ms: number;
  if (typeof value === "string") ms = Date.parse(value);
  // Seconds stay below 1e11 until the year 5138; milliseconds passed that in 1973.
  else if (typeof value === "number") ms = value < 1e11 ? value * 1000 : value;
  else return undefined;
  return ms >= 946_684_800_000 && ms < 4_102_444_800_000 ? ms : undefined;
}
