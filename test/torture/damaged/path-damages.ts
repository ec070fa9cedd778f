/** What can be in a session file's place or beside it. */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { leftOut, UNHARMED, type Damage } from "./damage.ts";

const FAR_FUTURE = new Date("2099-01-01T00:00:00Z");
const BEFORE_ALL = new Date(0);

export const PLACE_DAMAGES: readonly Damage[] = [
  {
    name: "a directory in its place",
    make: (path) => replace(path, () => mkdirSync(path)),
    promise: leftOut("is a directory"),
  },
  {
    name: "a FIFO in its place",
    make: (path) => replace(path, () => fifo(path)),
    promise: leftOut("is not a regular file"),
  },
  { name: "a link to itself", make: (path) => replace(path, () => symlinkSync(path, path)), promise: leftOut("ELOOP") },
  {
    name: "a link to nowhere",
    make: (path) => replace(path, () => symlinkSync(join(dirname(path), "gone"), path)),
    promise: leftOut(""),
  },
  {
    name: "a directory that links to its parent",
    make: (path) => symlinkSync("..", join(dirname(path), "loop")),
    promise: UNHARMED,
  },
  {
    name: "may not be read",
    make: (path) => chmodSync(path, 0),
    promise: { ...leftOut("EACCES"), empty: 1 },
    asOtherUser: true,
  },
  {
    name: "the same session in two files",
    make: (path, { twin }, home) => {
      mkdirSync(dirname(join(home, twin!)), { recursive: true });
      copyFileSync(path, join(home, twin!));
    },
    concerns: ({ twin }) => twin !== undefined,
    promise: UNHARMED,
    exceptions: { claude: { skipped: "another copy" } },
  },
  {
    name: "changed in the far future",
    make: (path) => utimesSync(path, FAR_FUTURE, FAR_FUTURE),
    promise: UNHARMED,
  },
  { name: "changed before all clocks", make: (path) => utimesSync(path, BEFORE_ALL, BEFORE_ALL), promise: UNHARMED },
  {
    name: "its name in capitals",
    make: (path) => renameSync(path, join(dirname(path), inCapitals(basename(path)))),
    promise: UNHARMED,
    // They know their files by the full name.
    exceptions: { copilot: leftOut(""), cursor: leftOut(""), kimi: leftOut(""), grok: leftOut("") },
  },
];

function replace(path: string, put: () => void): void {
  rmSync(path);
  put();
}

function fifo(path: string): void {
  execFileSync("mkfifo", [path]);
}

/** As a case-folding file system returns it; the extension stays, since it marks a session's file. */
function inCapitals(name: string): string {
  const dot = name.lastIndexOf(".");
  return name.slice(0, dot).toUpperCase() + name.slice(dot);
}
