/** The environment of tests: nothing of the developer's home or shell reaches them, and they write nothing there. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./stages.mjs";

// Not below /tmp: some agents read no settings in a world-writable place.
const PLACE = join(root, "node_modules/.cache/amux");

/**
 * What finds programs, names the user and the time zone, or steers npm, Node and these tests. Not NODE_EXTRA_CA_CERTS: tests reach
 * only this machine, and reading those certificates takes three times as long as starting Node.
 */
const KEPT = [
  /^(?:PATH|LD_LIBRARY_PATH|USER|LOGNAME|LANG|LC_\w+|TZ|TERM|TMPDIR|CI|GITHUB_ACTIONS|NODE_OPTIONS|NODE_V8_COVERAGE)$/,
  /^(?:npm_\w+|(?:https?|no|all)_proxy)$/i,
  /^AMUX_(?:BROWSER|LATE_ANSWERS|REAL_AGENTS|SLOWEST|TEST_\w+|TORTURE\w*)$/,
];

/** Changes that of this process. */
export function enterTestEnvironment() {
  for (const name of Object.keys(process.env)) {
    if (!KEPT.some((pattern) => pattern.test(name))) delete process.env[name];
  }
  mkdirSync(PLACE, { recursive: true });
  const home = mkdtempSync(join(PLACE, "home-"));
  process.once("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  // A shell of the developer may start slowly, or wait for another one.
  Object.assign(process.env, { HOME: home, SHELL: "/bin/sh" });
}
