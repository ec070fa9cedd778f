/** A QR code for a terminal: two modules in each character. */
import { encode } from "uqr";

/** Scanners want some light around it. */
const BORDER = 2;
/** From the colour cube: themes change the first sixteen colours, even white to black. */
const BLACK_ON_WHITE = "\u001b[38;5;16;48;5;231m";
const RESET = "\u001b[0m";

/** Without colours the terminal is taken to be dark: light modules are drawn. */
export function qrLines(text: string, hasColours: boolean): string[] {
  const { data } = encode(text, { ecc: "L", border: BORDER });
  const isDrawn = (row: number, column: number): boolean => {
    const isDark = data[row]?.[column] === true;
    return hasColours ? isDark : !isDark;
  };
  const lines: string[] = [];
  for (let row = 0; row < data.length; row += 2) {
    const line = data[row]!.map((_, column) => {
      const [upper, lower] = [isDrawn(row, column), row + 1 < data.length && isDrawn(row + 1, column)];
      return upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }).join("");
    lines.push(hasColours ? `${BLACK_ON_WHITE}${line}${RESET}` : line);
  }
  return lines;
}
