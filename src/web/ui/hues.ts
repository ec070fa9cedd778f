/** Colours by name: the same for an agent everywhere, with no table of agents. */

import { agents } from "../state/agents.ts";

/** Steps of this size round the circle never come near one another soon. */
const GOLDEN_ANGLE = 137.5;

export function hueOf(name: string): number {
  const at = [...agents.value.keys()].indexOf(name);
  return Math.round(((at < 0 ? hash(name) : at + 1) * GOLDEN_ANGLE + 75) % 360);
}

function hash(name: string): number {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 9973;
  return sum;
}

export function hueColour(hue: number, dark: boolean): string {
  return dark ? `hsl(${hue} 55% 66%)` : `hsl(${hue} 55% 42%)`;
}
