#!/usr/bin/env node
/** Entry of `amux`: CommonJS, because loading modules costs half of an empty Node's start. The rest is loaded on demand. */
import * as module from "node:module";
import { join } from "node:path";

declare const AMUX_VERSION: string;

const argv = process.argv.slice(2);

if (argv[0] === "--version" || argv[0] === "-V") process.stdout.on("error", unwritten).write(`${AMUX_VERSION}\n`);
// The runner process; it reads its id after --shim by itself.
else if (argv[0] === "--shim") module.createRequire(import.meta.filename)("./runner.cjs");
// A status line is drawn often: the small program that hooks use.
else if (argv[0] === "statusline" && !argv.some((word) => word === "-h" || word === "--help"))
  module.createRequire(import.meta.filename)("./amux-hook.cjs");
else void run();

/** A reader that has left wants no more. */
function unwritten({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") return;
  process.stderr.write(`amux: The output cannot be written: ${message}.\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  // Only for debugging: reading source maps takes longer than a short command.
  if (process.env["DEBUG"] === "amux") process.setSourceMapsEnabled(true);
  keepCompiledCode();
  const { main } = await import("./main.ts");
  // Output must still reach a slow reader. After that, exiting is faster than cleaning up.
  process.on("beforeExit", () => process.exit());
  process.exitCode = await main(argv);
}

/** From Node 22.8: Node manages this cache in the user's cache directory. */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };
  const { XDG_CACHE_HOME, HOME } = process.env;
  const caches = XDG_CACHE_HOME ?? (HOME === undefined ? undefined : join(HOME, ".cache"));
  if (caches !== undefined) enableCompileCache?.(join(caches, "amux", "code"));
}
