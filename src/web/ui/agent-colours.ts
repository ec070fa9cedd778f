/** Colours derived from agent names, so that new agents need no table. */

import { agents } from "../state/agents.ts";

/** Adjacent entries are far apart in hue. */
const STEPS = [3, 5, 7, 1];

export function hueOf(name: string): number {
  const names = [...agents.value.keys()];
  const at = names.indexOf(name);
  if (at < 0) return hash(name) % 360;
  const count = names.length;
  const step = STEPS.find((size) => count % size !== 0) ?? 1;
  return Math.round(((at * step) % count) * (360 / count) + 15);
}

function hash(name: string): number {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 9973;
  return sum;
}

/** All hues have the same perceived lightness. */
export function hueColour(hue: number, dark: boolean): string {
  return dark ? `oklch(76% 0.12 ${hue})` : `oklch(60% 0.14 ${hue})`;
}
