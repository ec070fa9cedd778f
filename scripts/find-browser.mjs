/**
 * Finds a browser for the page's tests, or installs one. `AMUX_BROWSER` overrides it. As a program it prints the path, or what to
 * do.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { installPackages, isProgram } from "./system-packages.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** Undefined if there is none. */
export function findBrowser() {
  const named = process.env.AMUX_BROWSER;
  if (named) return existsSync(named) ? named : undefined;
  const places = (process.env.PATH ?? "").split(delimiter).flatMap((place) => NAMES.map((name) => join(place, name)));
  return [...places, MAC].find(isProgram);
}

const SHELLS = ["chromium-headless-shell", "chrome-headless-shell"];

/** The same browser without its windows, profiles and notifications needs half the time; else the whole one. */
export function findBrowserShell() {
  if (process.env.AMUX_BROWSER) return findBrowser();
  const places = (process.env.PATH ?? "").split(delimiter).flatMap((place) => SHELLS.map((name) => join(place, name)));
  return places.find(isProgram) ?? findBrowser();
}

/** Installs Debian's Chromium if that needs no interaction. */
export function ensureBrowser(say = () => undefined) {
  const found = findBrowser();
  if (found !== undefined) return found;
  installPackages(["chromium"], say);
  return findBrowser();
}

export const NO_BROWSER =
  "No browser was found, and none could be installed: the page is NOT TESTED.\n" +
  "Install chromium (apt-get install chromium), or name a Chromium or Chrome with AMUX_BROWSER.";

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const browser = ensureBrowser((text) => process.stderr.write(`${text}\n`));
  process.stdout.write(`${browser ?? NO_BROWSER}\n`);
  process.exitCode = browser === undefined ? 1 : 0;
}
