/** Parses durations. A bare number is refused: it could be seconds or milliseconds. */
import { usageError } from "./command.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds from `500ms`, `30s`, `5m`, `1.5h`, `7d`. `given`: the option's name, for errors. */
export function parseDuration(text: string, given: string): number {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) {
    throw usageError(`${given} takes a time such as 500ms, 30s, 5m, 1h or 7d, not "${text}".`);
  }
  return Math.round(Number(amount) * UNITS[unit]!);
}
