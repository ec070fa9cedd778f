/** Other versions of Node than the one that runs this, from npm, to try the built command on. */
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./stages.mjs";

export const OTHER_NODES = [22, 24, 26];

const WITHIN_MS = 300_000;

/** Where the program of this version is, or would be. */
export function otherNode(major) {
  return join(placeOf(major), "node");
}

/** Those that cannot be had. */
export function ensureOtherNodes(say) {
  const wanted = OTHER_NODES.filter((major) => !existsSync(otherNode(major)));
  if (wanted.length === 0) return [];
  say(`Installing for the tests (once): Node ${wanted.join(", ")} …`);
  for (const major of wanted) install(major);
  return wanted.filter((major) => !existsSync(otherNode(major)));
}

/** The program itself, without the scripts of the package that chooses it. */
function install(major) {
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--loglevel=error"];
  const args = ["install", "--prefix", placeOf(major), ...options, `${packageName()}@${major}`];
  spawnSync("npm", args, { stdio: "ignore", timeout: WITHIN_MS });
  const modules = join(placeOf(major), "node_modules");
  const program = join(modules, packageName(), "bin/node");
  if (existsSync(program)) renameSync(program, otherNode(major));
  // Headers and manuals: half of it.
  rmSync(modules, { recursive: true, force: true });
}

function placeOf(major) {
  return join(root, "node_modules/.cache/amux/nodes", String(major));
}

function packageName() {
  return `node-${process.platform}-${process.arch}`;
}
