/** Colours derived from agent names, so that new agents need no table. */

import { agents } from "../state/agents.ts";

export interface AgentColour {
  hue: number;
  /** Agents of one hue differ in it: it is light or deep. */
  isDeep: boolean;
}

/** Far apart in the list, so that every second agent gets a hue of the other half of the circle. */
const STEPS = [3, 5, 7, 1];

/** The hues go around twice: with one hue each, many agents would look alike. */
export function colourOf(name: string): AgentColour {
  const names = [...agents.value.keys()];
  const at = names.indexOf(name);
  if (at < 0) return { hue: hash(name) % 360, isDeep: false };
  const hues = Math.ceil(names.length / 2);
  const step = STEPS.find((size) => hues % size !== 0) ?? 1;
  return { hue: Math.round(((at * step) % hues) * (360 / hues) + 15), isDeep: at >= hues };
}

function hash(name: string): number {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 9973;
  return sum;
}

/** For areas. Colours of one kind have the same perceived lightness. */
export function areaColour({ hue, isDeep }: AgentColour, dark: boolean): string {
  if (dark) return isDeep ? `oklch(56% 0.14 ${hue})` : `oklch(80% 0.12 ${hue})`;
  return isDeep ? `oklch(42% 0.13 ${hue})` : `oklch(66% 0.14 ${hue})`;
}
