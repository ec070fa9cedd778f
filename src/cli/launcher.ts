#!/usr/bin/env node
/**
 * Where `amux` begins: a CommonJS file, because modules cost half an empty Node's start before they do anything. The rest of
 * the program is loaded in parts, as they are needed.
 */
import * as module from "node:module";
import { join } from "node:path";

declare const AMUX_VERSION: string;

const argv = process.argv.slice(2);

if (argv[0] === "--version" || argv[0] === "-V") process.stdout.on("error", unwritten).write(`${AMUX_VERSION}\n`);
// The process that holds one session; it finds its id behind --shim by itself.
else if (argv[0] === "--shim") module.createRequire(import.meta.filename)("./runner.cjs");
else void run();

/** A reader that has left wants no more. */
function unwritten({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") return;
  process.stderr.write(`amux: The output cannot be written: ${message}.\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  // Otherwise nobody sees a stack, and to read the maps takes longer than a short command.
  if (process.env["DEBUG"] === "amux") process.setSourceMapsEnabled(true);
  keepCompiledCode();
  const { main } = await import("./main.ts");
  // Output that a slow reader has not taken yet must still go out. With nothing left, to tidy up takes longer than to leave.
  process.on("beforeExit", () => process.exit());
  process.exitCode = await main(argv);
}

/** From Node 22.8 on: in the user's cache directory, where Node itself looks after it. */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };
  const { XDG_CACHE_HOME, HOME } = process.env;
  const caches = XDG_CACHE_HOME ?? (HOME === undefined ? undefined : join(HOME, ".cache"));
  if (caches !== undefined) enableCompileCache?.(join(caches, "amux", "code"));
}
