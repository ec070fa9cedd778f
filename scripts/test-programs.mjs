/** System programs that tests need: installs missing ones if possible, and reports what cannot be tested. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findBrowser, findBrowserShell } from "./find-browser.mjs";
import { installIfOffered, installPackages, isOnPath } from "./system-packages.mjs";

const DEBIAN_POSTGRES = "/usr/lib/postgresql";

/** By Debian package. A test file that contains `usedBy` needs the program for all its tests. */
const NEEDED = [
  { package: "chromium", isThere: () => findBrowser() !== undefined, usedBy: "support/browser.ts" },
  { package: "postgresql", isThere: () => postgresPrograms() !== undefined, usedBy: "support/archive.ts" },
  { package: "tmux", isThere: () => isOnPath("tmux"), usedBy: "support/tmux.ts" },
  { package: "curl", isThere: () => isOnPath("curl"), usedBy: '"curl"' },
  { package: "procps", isThere: () => ["ps", "pkill", "top"].every(isOnPath), usedBy: '"ps"' },
  ...["vim", "less", "htop", "zsh", "fish"].map((name) => ({ package: name, isThere: () => isOnPath(name) })),
  { package: "openssh-client", isThere: () => ["ssh", "ssh-keygen"].every(isOnPath) },
  // It starts a network service: only on a dedicated test machine.
  { package: "openssh-server", isThere: () => existsSync("/usr/sbin/sshd"), onlyInCi: true },
];

/** Returns the packages that are still missing. */
export function ensureTestPrograms(say) {
  const wanted = missing().filter(({ onlyInCi }) => !onlyInCi || process.env.CI);
  if (wanted.length > 0) installPackages(namesOf(wanted), say);
  // Only saves time. Apart from the others, because not every system has it.
  if (process.env.AMUX_BROWSER === undefined && findBrowserShell() === findBrowser())
    installIfOffered("chromium-headless-shell", say);
  return namesOf(missing());
}

/** Test files that cannot run here at all. */
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

/** Directory of initdb, which is not on the PATH; the newest version. */
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
