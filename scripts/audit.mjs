/**
 * `npm run audit`: checks the lock file offline. Install scripts must be on a list with a reason, and no version may be a known
 * compromised one. If a registry answers, its audit runs too.
 */
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, say } from "./setup.mjs";

/** None of them runs (.npmrc: ignore-scripts); each package works without its script. */
const INSTALL_SCRIPTS = {
  "@photostructure/sqlite": "builds from source where no binary is in the package; ours are",
  fsevents: "macOS only, optional, binary in the package",
};

/** Published by an attacker who had taken over the package, and withdrawn. */
const TAKEN_OVER = {
  "@ctrl/tinycolor": ["4.1.1", "4.1.2"],
  "ansi-regex": ["6.2.1"],
  "ansi-styles": ["6.2.2"],
  chalk: ["5.6.1"],
  "chalk-template": ["1.1.1"],
  coa: ["2.0.3", "2.0.4", "2.1.1", "2.1.3", "3.0.1", "3.1.3"],
  "color-convert": ["3.1.1"],
  "color-name": ["2.0.1"],
  "color-string": ["2.1.1"],
  debug: ["4.4.2"],
  "error-ex": ["1.3.3"],
  "eslint-scope": ["3.7.2"],
  "event-stream": ["3.3.6"],
  "has-ansi": ["6.0.1"],
  "is-arrayish": ["0.3.3"],
  "node-ipc": ["9.2.2", "10.1.1", "10.1.2", "10.1.3", "11.0.0", "11.1.0"],
  rc: ["1.2.9", "1.3.9", "2.3.9"],
  "simple-swizzle": ["0.2.3"],
  "slice-ansi": ["7.1.1"],
  "strip-ansi": ["7.1.1"],
  "supports-color": ["10.2.1"],
  "supports-hyperlinks": ["4.1.1"],
  "ua-parser-js": ["0.7.29", "0.8.0", "1.0.0"],
  "wrap-ansi": ["9.0.1"],
};
/** Names that were never anything else. */
const MALICIOUS = new Set(["flatmap-stream", "crossenv", "getcookies", "peacenotwar"]);

const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const problems = Object.entries(packages).flatMap(([path, entry]) => (path === "" ? [] : problemsOf(path, entry)));
for (const problem of problems) say(problem);
if (problems.length > 0) process.exit(1);
say(`  ${Object.keys(packages).length - 1} packages: none known to be taken over, no unexpected install script`);
if (!process.argv.includes("--offline")) askRegistry();

function problemsOf(path, { version, hasInstallScript, integrity }) {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  return [
    hasInstallScript && !(name in INSTALL_SCRIPTS) && `${name} ${version} has an install script that nobody looked at.`,
    (TAKEN_OVER[name]?.includes(version) || MALICIOUS.has(name)) && `${name} ${version} is known to be malicious.`,
    !integrity?.startsWith("sha512-") && `${name} ${version} is not pinned by its hash.`,
  ].filter(Boolean);
}

function askRegistry() {
  const { stdout, error } = spawnSync("npm", ["audit", "--json", "--omit=dev"], { cwd: root, encoding: "utf8" });
  const answer = error ? undefined : parsed(stdout);
  const found = answer?.metadata?.vulnerabilities;
  if (found === undefined) return say("  npm audit: no registry that answers such questions; nothing was asked");
  say(`  npm audit: ${JSON.stringify(found)}`);
  if (found.high + found.critical > 0) process.exitCode = 1;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
