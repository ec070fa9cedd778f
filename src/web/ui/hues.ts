/** Colours by name: the same for an agent everywhere, with no table of agents. */

const HUES = [262, 24, 168, 205, 340, 48, 130, 290, 190, 90];

export function hueOf(name: string): number {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 9973;
  return HUES[sum % HUES.length]!;
}

export function hueColour(hue: number, dark: boolean): string {
  return dark ? `hsl(${hue} 55% 66%)` : `hsl(${hue} 55% 42%)`;
}
