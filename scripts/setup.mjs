/**
 * Prepares a clone: checks Node, installs dependencies if the lock file changed, builds if a source changed. Uses only Node's own
 * modules, since nothing else is installed yet.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endOnFailures, root, say, stage } from "./stages.mjs";

export { root, say };
const stampDirectory = join(root, "node_modules", ".amux");

export function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  say(
    `amux needs Node.js 20.19 or newer; this is ${process.version}. Install a newer one and run the same command again.`,
  );
  process.exit(1);
}

export async function installDependencies() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(process.platform + process.arch)
    .digest("hex");
  if (readStamp("installed") === wanted) return;
  say("Installing dependencies (once) …");
  endOnFailures([await stage("npm ci", "npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"])]);
  writeStamp("installed", wanted);
}

/** True if something was built. */
export async function build() {
  const newest = newestChange(
    ["src", "scripts", "package.json", "tsconfig.json", "tsconfig.types.json"].map((name) => join(root, name)),
  );
  const built = join(root, "dist", ".built");
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return false;
  endOnFailures([await stage("build", process.execPath, [join(root, "scripts", "build.mjs")])]);
  return true;
}

function newestChange(paths) {
  let newest = 0;
  for (const path of paths) {
    const stat = statSync(path);
    if (!stat.isDirectory()) newest = Math.max(newest, stat.mtimeMs);
    else if (!path.endsWith("fixtures"))
      newest = Math.max(newest, newestChange(readdirSync(path).map((name) => join(path, name))));
  }
  return newest;
}

function readStamp(name) {
  const path = join(stampDirectory, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function writeStamp(name, value) {
  mkdirSync(stampDirectory, { recursive: true });
  writeFileSync(join(stampDirectory, name), value);
}
