/** The terminal's colour depth, and the nearest colour for it. */

export type ColorDepth = "true" | "256" | "16" | "none";

type Variables = Readonly<Record<string, string | undefined>>;

/** From the variables terminals set; NO_COLOR wins over all of them. */
export function colorDepth(vars: Variables): ColorDepth {
  const noColor = vars["NO_COLOR"];
  if (noColor !== undefined && noColor !== "") return "none";
  const term = vars["TERM"] ?? "";
  const colorTerm = vars["COLORTERM"] ?? "";
  if (/truecolor|24bit/i.test(colorTerm) || /-direct$|^(xterm-kitty|alacritty|xterm-ghostty|foot|wezterm)/.test(term))
    return "true";
  if (/256/.test(term) || colorTerm !== "") return "256";
  if (term === "dumb") return "none";
  return /^(screen|tmux)/.test(term) ? "256" : "16";
}

const MODE = 0x300_0000;
const MODE_16 = 0x100_0000;
const MODE_256 = 0x200_0000;
const MODE_RGB = 0x300_0000;
const COLOR = 0x3ff_ffff;

/** Replaces the colour of a word by the nearest available one. */
export function reducer(depth: ColorDepth): (word: number) => number {
  if (depth === "true") return (word) => word;
  if (depth === "none") return (word) => (word & ~COLOR) >>> 0;
  const known = new Map<number, number>();
  return (word) => {
    const mode = word & MODE;
    if (mode === 0 || mode === MODE_16 || (mode === MODE_256 && depth === "256")) return word;
    const color = word & COLOR;
    let reduced = known.get(color);
    if (reduced === undefined) {
      reduced = mode === MODE_RGB ? fromRgb(color, depth) : toSixteen(paletteRgb(color & 0xff));
      // Limits the cache, because true-colour images have too many colours.
      if (known.size > 4096) known.clear();
      known.set(color, reduced);
    }
    return ((word & ~COLOR) | reduced) >>> 0;
  };
}

type Rgb = readonly [number, number, number];

function fromRgb(color: number, depth: ColorDepth): number {
  const rgb: Rgb = [(color >>> 16) & 0xff, (color >>> 8) & 0xff, color & 0xff];
  return depth === "256" ? MODE_256 | nearest256(rgb) : toSixteen(rgb);
}

const CUBE = [0, 95, 135, 175, 215, 255];

function nearest256(rgb: Rgb): number {
  const index = rgb.map((value) => nearestOf(CUBE, value)) as [number, number, number];
  const cube = index.map((at) => CUBE[at] ?? 0) as unknown as Rgb;
  const mean = (rgb[0] + rgb[1] + rgb[2]) / 3;
  const step = Math.max(0, Math.min(23, Math.round((mean - 8) / 10)));
  const level = 8 + 10 * step;
  if (distance(rgb, [level, level, level]) < distance(rgb, cube)) return 232 + step;
  return 16 + 36 * index[0] + 6 * index[1] + index[2];
}

function nearestOf(values: readonly number[], wanted: number): number {
  let best = 0;
  for (let at = 1; at < values.length; at++) {
    if (Math.abs((values[at] as number) - wanted) < Math.abs((values[best] as number) - wanted)) best = at;
  }
  return best;
}

const BASIC: readonly Rgb[] = [
  [0, 0, 0], [205, 49, 49], [13, 188, 121], [229, 229, 16], [36, 114, 200], [188, 63, 188], [17, 168, 205], [229, 229, 229],
  [102, 102, 102], [241, 76, 76], [35, 209, 139], [245, 245, 67], [59, 142, 234], [214, 112, 214], [41, 184, 219], [255, 255, 255],
]; // prettier-ignore

function toSixteen(rgb: Rgb): number {
  let best = 0;
  for (let at = 1; at < BASIC.length; at++) {
    if (distance(rgb, BASIC[at] as Rgb) < distance(rgb, BASIC[best] as Rgb)) best = at;
  }
  return MODE_16 | best;
}

function paletteRgb(index: number): Rgb {
  if (index < 16) return BASIC[index] as Rgb;
  if (index >= 232) {
    const level = 8 + (index - 232) * 10;
    return [level, level, level];
  }
  const cube = index - 16;
  return [CUBE[Math.floor(cube / 36)] ?? 0, CUBE[Math.floor(cube / 6) % 6] ?? 0, CUBE[cube % 6] ?? 0];
}

function distance(a: Rgb, b: Rgb): number {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
}
