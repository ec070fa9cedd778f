/**
 * A browser for the tests of the page: one that is installed, or one that can be installed here. `AMUX_BROWSER` names one.
 * Run as a program it prints the path, or says what to do.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const INSTALL_WITHIN_MS = 300_000;

/** Undefined when there is none. */
export function findBrowser() {
  const named = process.env.AMUX_BROWSER;
  if (named) return existsSync(named) ? named : undefined;
  const places = (process.env.PATH ?? "").split(delimiter).flatMap((place) => NAMES.map((name) => join(place, name)));
  return [...places, MAC].find(isProgram);
}

/** Installs Debian's Chromium where that is possible without asking anybody. */
export function ensureBrowser(say = () => undefined) {
  const found = findBrowser();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && findProgram("apt-get")) {
    say("Installing Chromium for the tests of the page (once) …");
    const run = (...args) => spawnSync("apt-get", args, { stdio: "ignore", timeout: INSTALL_WITHIN_MS });
    if (run("install", "-y", "--no-install-recommends", "chromium").status !== 0) {
      run("update");
      run("install", "-y", "--no-install-recommends", "chromium");
    }
  }
  return findBrowser();
}

export const NO_BROWSER =
  "No browser was found, and none could be installed: the page is NOT TESTED.\n" +
  "Install chromium (apt-get install chromium), or name a Chromium or Chrome with AMUX_BROWSER.";

function findProgram(name) {
  return (process.env.PATH ?? "").split(delimiter).some((place) => isProgram(join(place, name)));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Not there, or not to be run.
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const browser = ensureBrowser((text) => process.stderr.write(`${text}\n`));
  process.stdout.write(`${browser ?? NO_BROWSER}\n`);
  process.exitCode = browser === undefined ? 1 : 0;
}
