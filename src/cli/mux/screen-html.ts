/** A screen as a self-contained HTML page in the terminal's colours. */

const BASIC = [
  "#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
  "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff",
]; // prettier-ignore

/** Pixels: size of a cell in the font below with some margin, and the page's margin. */
export const CELL = { width: 8.5, height: 17.5 };
export const MARGIN = 8;

/** The page contains program output: even if something slips through, it can neither run nor load. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** SGR sequences, cursor steps, and other painting sequences, which are skipped. */
const SEQUENCE = /\x1b\[([\d;:]*)([A-Za-z])|\x1b\]8;[^;]*;([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b[^[\]]|[\r\x0e\x0f]/g;

/** From the lines of `Screen.paintedLines`. */
export function screenHtml(lines: readonly string[], title: string): string {
  const body = lines.map(lineHtml).join("\n");
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${escape(title)}</title>
<style>body{background:#1e1e1e;color:#d4d4d4;margin:${MARGIN}px}pre{font:14px/1.25 monospace;margin:0}a{color:inherit}</style></head>
<body><pre>${body}</pre></body></html>
`;
}

function lineHtml(line: string): string {
  let html = "";
  let style = "";
  let from = 0;
  // Cells erased in a colour: a cursor step follows, unless they end the row.
  let erased = 0;
  const add = (text: string): void => {
    if (text === "") return;
    html += style === "" ? escape(text) : `<span style="${style}">${escape(text)}</span>`;
  };
  for (const match of line.matchAll(SEQUENCE)) {
    add(line.slice(from, match.index));
    from = match.index + match[0].length;
    const [, parameters = "", final] = match;
    if (final !== "C" && erased > 0) add(" ".repeat(erased));
    erased = final === "X" ? Number(parameters || "1") : 0;
    if (final === "m") style = styleOf(parameters);
    else if (final === "C") add(" ".repeat(Number(parameters || "1")));
  }
  add(line.slice(from));
  return html;
}

/** Each sequence sets all attributes, as our painting does. */
function styleOf(parameters: string): string {
  const codes = parameters.split(";").map((code) => code.split(":").map(Number));
  const css: string[] = [];
  let [foreground, background] = ["", ""];
  let inverse = false;
  for (let at = 0; at < codes.length; at++) {
    const [code = 0, sub] = codes[at] ?? [];
    if (code === 1) css.push("font-weight:bold");
    else if (code === 2) css.push("opacity:.6");
    else if (code === 3) css.push("font-style:italic");
    else if (code === 4 && sub !== 0) css.push("text-decoration:underline");
    else if (code === 7) inverse = true;
    else if (code === 8) css.push("visibility:hidden");
    else if (code === 9) css.push("text-decoration:line-through");
    else if (code === 38 || code === 48) {
      const [color, used] = extendedColor(codes.slice(at + 1).map(([value = 0]) => value));
      if (code === 38) foreground = color;
      else background = color;
      at += used;
    } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97))
      foreground = BASIC[code >= 90 ? code - 82 : code - 30] ?? "";
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107))
      background = BASIC[code >= 100 ? code - 92 : code - 40] ?? "";
  }
  if (inverse) [foreground, background] = [background || "#1e1e1e", foreground || "#d4d4d4"];
  if (foreground !== "") css.push(`color:${foreground}`);
  if (background !== "") css.push(`background:${background}`);
  return css.join(";");
}

/** The colour after 38 or 48, and the number of its parameters. */
function extendedColor([kind, ...values]: number[]): [color: string, used: number] {
  if (kind === 5) return [paletteColor(values[0] ?? 0), 2];
  const [red = 0, green = 0, blue = 0] = values;
  return [`rgb(${red},${green},${blue})`, 4];
}

function paletteColor(index: number): string {
  if (index < 16) return BASIC[index] ?? "";
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey},${grey},${grey})`;
  }
  const level = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
