/** History commands need nothing that only POSIX systems have. They were not run on Windows. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { main } from "../src/cli/main.ts";
import { WORKS_EVERYWHERE } from "../src/cli/works-everywhere.ts";
import { startTimeOf } from "../src/lib/process/processes.ts";

const SRC = join(import.meta.dirname, "../src");

/** These only list what can be loaded, or load what Windows is refused. */
const LOADS_OTHERS = ["cli/commands.ts", "cli/live-commands.ts"];
const REFUSED = ["cli/open-interface.ts"];

/**
 * What fails on Windows. Not among them: flags such as `constants.O_NONBLOCK`, which are undefined there and so change nothing
 * in `a | b`; modes and owners of files, which are ignored; a signal to a process group, whose failure is caught.
 */
const POSIX_ONLY: Record<string, RegExp> = {
  "a call that is missing": /process\.(get|set)(e?[ug]id|groups)(!|\()/,
  "/proc": /["'`]\/proc\b/,
  mkfifo: /\bmkfifo\b/,
  "a Unix shell": /["'`](\/bin\/)?(sh|bash)["'`]/,
  ps: /\b(?:run|exec\w*|spawn\w*)\)?\(["'](ps|lsof|tmux)["']/,
  "a Unix socket": /\bsocketPath\b|from "node:net"/,
  "a link": /\bsymlinkSync\(/,
  "a device": /\b(open|read)[A-Za-z]*\(["'`]\/dev\//,
};

/** Used there, but never on Windows, or without harm. */
const ALLOWED: Record<string, string> = {
  "agents/codex/gate.ts: a Unix shell": "starts agents",
  "agents/shared/ask-program.ts: a Unix socket": "starts agents",
  "agents/shared/hook-command.ts: a Unix shell": "starts agents",
  "client/daemon-client.ts: a Unix socket": "asks other machines, when an option names them",
  "client/open-shim-connection.ts: a Unix socket": "opens terminals",
  "client/remote-shim.ts: a Unix socket": "opens terminals",
  "client/runner-http.ts: a Unix socket": "asks running terminals, of which there are none",
  "client/shim-connection.ts: a Unix socket": "opens terminals",
  "client/slug-claim.ts: a link": "starts terminals",
  "lib/fs/mounts.ts: /proc": "on Linux only; without it every directory counts as one that may not answer",
  "lib/process/ask-program.ts: a Unix shell": "not on Windows, it says so itself",
  "lib/process/processes.ts: /proc": "on Linux only; whether a process runs is known without it",
  "lib/process/processes.ts: ps": "the same without /proc; on Windows for terminals only",
  "lib/process/socket-probe.ts: a Unix socket": "finds running terminals",
  "run/ask-server.ts: a Unix socket": "starts agents",
};

function codeOf(file: string): string {
  return readFileSync(join(SRC, file), "utf8").replaceAll(/^\s*(\/\*\*?|\*|\/\/).*$/gm, "");
}

function importsOf(file: string): string[] {
  const code = codeOf(file).replaceAll(/^import type [^;]*;/gm, "");
  const pattern = LOADS_OTHERS.includes(file) ? /\bfrom "(\.[^"]+)"/g : /(?:\bfrom |^import |import\(\s*)"(\.[^"]+)"/gm;
  return [...code.matchAll(pattern)].map(([, target]) => join(dirname(file), target!));
}

/** With what they load on demand. */
function loadedBy(files: readonly string[]): Set<string> {
  const found = new Set(files);
  for (const file of found) for (const target of importsOf(file)) if (!REFUSED.includes(target)) found.add(target);
  return found;
}

const commandFile = (name: string): string => `cli/commands/${name.replace(" ", "-")}.ts`;

it("no history command can reach what only POSIX systems have", () => {
  const loaded = loadedBy(["cli/launcher.ts", "cli/main.ts", ...WORKS_EVERYWHERE.map(commandFile)]);
  expect(loaded.has("history/manager.ts")).toBe(true);
  const found = [...loaded].flatMap((file) =>
    Object.entries(POSIX_ONLY).flatMap(([what, pattern]) => (pattern.test(codeOf(file)) ? [`${file}: ${what}`] : [])),
  );
  expect(found.sort()).toEqual(Object.keys(ALLOWED).sort());
});

it.each([["run", "claude"], ["attach", "shop"], ["daemon", "start"], ["ls"], ["open"]])(
  "amux %s is refused on Windows with one sentence",
  async (...argv) => {
    let said = "";
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => (said += String(text)) !== "");
    const code = await main(argv, "win32").finally(() => stderr.mockRestore());
    expect([code, said]).toEqual([
      6,
      expect.stringMatching(
        /^amux: amux has no terminals on Windows, only history: [^.]*\. The rest needs Linux or macOS\.\n$/,
      ),
    ]);
  },
);

it("a lock on Windows belongs to a process that lives", () => {
  expect(startTimeOf(process.pid, "win32")).toBe("unknown");
  expect(startTimeOf(2 ** 22 + 1, "win32")).toBeUndefined();
});
