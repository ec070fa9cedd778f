/** System programs: checks for them, and installs Debian's packages if that needs no interaction. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const INSTALL_WITHIN_MS = 600_000;

/** Best effort; callers check for the program afterwards. */
export function installPackages(names, say) {
  if (process.getuid?.() !== 0 || !isOnPath("apt-get")) return;
  say(`Installing for the tests (once): ${names.join(", ")} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (...args) => spawnSync("apt-get", args, { stdio: "ignore", timeout: INSTALL_WITHIN_MS, env }).status;
  const install = () => run("install", "-y", "--no-install-recommends", ...names);
  // A fresh image has no package list yet.
  if (install() !== 0) {
    run("update");
    install();
  }
}

/** Only if the system's package list has it. */
export function installIfOffered(name, say) {
  if (spawnSync("apt-cache", ["show", name], { stdio: "ignore" }).status === 0) installPackages([name], say);
}

export function isOnPath(name) {
  return (process.env.PATH ?? "").split(delimiter).some((place) => isProgram(join(place, name)));
}

export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Missing, or not executable.
  }
}
