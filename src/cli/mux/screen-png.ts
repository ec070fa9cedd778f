/** Renders a screen's page as an image with a local browser, which has the fonts and the layout. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { AgentMuxError } from "../../core/errors.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";
import { CELL, MARGIN } from "./screen-html.ts";

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const ON_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** It takes two seconds; more on a busy machine. */
const WITHIN_MS = 60_000;

export async function picture(html: string, size: { cols: number; rows: number }): Promise<Buffer> {
  const browser = findBrowser(process.env);
  const directory = mkdtempSync(join(tmpdir(), "amux-picture-"));
  try {
    const [page, image] = [join(directory, "screen.html"), join(directory, "screen.png")];
    writeFileSync(page, html, { mode: 0o600 });
    const width = Math.ceil(size.cols * CELL.width) + 2 * MARGIN;
    const height = Math.ceil(size.rows * CELL.height) + 2 * MARGIN;
    await promisify(execFile)(browser, [...flags(directory, width, height), pathToFileURL(page).href], {
      timeout: WITHIN_MS,
    });
    return readFileSync(image);
  } catch (cause) {
    throw new AgentMuxError("INTERNAL", `${browser} created no image. Use --format html and open it in a browser.`, {
      cause,
    });
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function findBrowser(vars: NodeJS.ProcessEnv): string {
  const { AMUX_BROWSER: named } = vars;
  const names = named === undefined || named === "" ? [...BROWSERS, ON_MAC] : [named];
  const found = names.map((name) => findOnPath(name, vars)).find((path) => path !== undefined);
  if (found !== undefined) return found;
  throw new AgentMuxError(
    "CAPABILITY_ERROR",
    `A PNG is drawn by Chromium or Chrome, and ${named ? `AMUX_BROWSER (${named})` : "none"} was found. Install one, name it with AMUX_BROWSER, or use --format html.`,
  );
}

function flags(directory: string, width: number, height: number): string[] {
  return [
    "--headless",
    "--disable-gpu",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    `--user-data-dir=${join(directory, "browser")}`,
    `--window-size=${width},${height}`,
    `--screenshot=${join(directory, "screen.png")}`,
    // Chromium refuses to run as root otherwise. The page has no script and may load nothing.
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ];
}
