/** Parses sizes. */
import { usageError } from "./command.ts";

const UNITS: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, TB: 1e12 };

/** Bytes from `500MB`, `1.5GB`, `2TB`. `given`: the option's name, for errors. */
export function parseSize(text: string, given: string): number {
  const [, amount, unit] = /^(\d{1,6}(?:\.\d{1,3})?) ?(MB|GB|TB)$/i.exec(text) ?? [];
  const bytes = amount === undefined ? 0 : Math.round(Number(amount) * UNITS[unit!.toUpperCase()]!);
  if (bytes === 0) throw usageError(`${given} takes a size such as 500MB, 5GB or 1TB, not "${text}".`);
  return bytes;
}
