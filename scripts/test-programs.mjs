/**
 * Programs of the system that tests run: those that are missing are installed where that can be, and what cannot be tested
 * for want of one is said.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "./find-browser.mjs";
import { installPackages, isOnPath } from "./system-packages.mjs";

const DEBIAN_POSTGRES = "/usr/lib/postgresql";

/** By Debian's names for packages. A test file that `usedBy` is found in needs the program for all that it does. */
const NEEDED = [
  { package: "chromium", isThere: () => findBrowser() !== undefined, usedBy: "support/browser.ts" },
  { package: "postgresql", isThere: () => postgresPrograms() !== undefined, usedBy: "support/archive.ts" },
  { package: "tmux", isThere: () => isOnPath("tmux"), usedBy: "support/tmux.ts" },
  { package: "curl", isThere: () => isOnPath("curl"), usedBy: '"curl"' },
  { package: "procps", isThere: () => ["ps", "pkill", "top"].every(isOnPath), usedBy: '"ps"' },
  ...["vim", "less", "htop", "zsh", "fish"].map((name) => ({ package: name, isThere: () => isOnPath(name) })),
  { package: "openssh-client", isThere: () => ["ssh", "ssh-keygen"].every(isOnPath) },
  // It starts a service that listens to the world: only on a machine that is there for tests.
  { package: "openssh-server", isThere: () => existsSync("/usr/sbin/sshd"), onlyInCi: true },
];

/** The packages that are missing after all. */
export function ensureTestPrograms(say) {
  const wanted = missing().filter(({ onlyInCi }) => !onlyInCi || process.env.CI);
  if (wanted.length > 0) installPackages(namesOf(wanted), say);
  return namesOf(missing());
}

/** Test files in which nothing can run here. */
export function untestableFiles(directory) {
  const unmet = missing().flatMap(({ usedBy }) => usedBy ?? []);
  if (unmet.length === 0) return [];
  return readdirSync(directory, { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(directory, name))
    .filter((file) => {
      const text = readFileSync(file, "utf8");
      return unmet.some((mark) => text.includes(mark));
    });
}

/** Where initdb is: on nobody's PATH. The newest version's. */
export function postgresPrograms() {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_POSTGRES, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

function missing() {
  return NEEDED.filter(({ isThere }) => !isThere());
}

function namesOf(needed) {
  return needed.map((one) => one.package);
}
