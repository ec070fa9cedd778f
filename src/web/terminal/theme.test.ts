import { expect, it } from "vitest";
import { findColours, terminalTheme } from "./theme.ts";

function light(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** As WCAG defines it. */
function contrast(one: string, other: string): number {
  const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

it.each([true, false])("found text is legible, and the current place stands out most (dark: %s)", (dark) => {
  const { foreground, background } = terminalTheme(dark);
  const { matchBackground, activeMatchBackground } = findColours(dark);
  for (const ground of [matchBackground, activeMatchBackground])
    expect(contrast(foreground!, ground)).toBeGreaterThan(4.5);
  expect(contrast(activeMatchBackground, background!)).toBeGreaterThan(contrast(matchBackground, background!));
});
