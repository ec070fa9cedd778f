#!/usr/bin/env node
/**
 * Where `amux` begins: a CommonJS file, because modules cost half an empty Node's start before they do anything. It
 * loads the part of the program that is meant, and the whole only when none of its parts knows what to do.
 */
import { join } from "node:path";
import { requireCompiled } from "../lib/compiled-bundle.ts";
import { historyMain } from "./history-bundle.ts";

declare const AMUX_VERSION: string;
/** The names of the bundles that hold the terminal interface and the commands for live sessions, beside this file. */
declare const INTERFACE_BUNDLE: string;
declare const LIVE_BUNDLE: string;

/** Beside this file. Its name is not a literal, so that the build leaves it alone. */
const WHOLE_PROGRAM: string = "./amux.js";

const argv = process.argv.slice(2);

if (argv[0] === "--version" || argv[0] === "-V") process.stdout.on("error", unwritten).write(`${AMUX_VERSION}\n`);
// The process that holds one session; it finds its id behind --shim by itself.
else if (argv[0] === "--shim")
  process.getBuiltinModule("node:module").createRequire(import.meta.filename)("./runner.cjs");
else void run();

/** A reader that has left wants no more. */
function unwritten({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") return;
  process.stderr.write(`amux: The output cannot be written: ${message}.\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const code = (interfaceMain() ?? historyMain(argv) ?? liveMain())(argv);
  if (code === undefined) return void (await import(WHOLE_PROGRAM));
  // Output that a slow reader has not taken yet must still go out. With nothing left, to tidy up takes longer than to leave.
  process.on("beforeExit", () => process.exit());
  process.exitCode = await code;
}

/** `amux` alone, on a terminal. */
function interfaceMain(): typeof import("./main.ts").main | undefined {
  if (argv.length > 0 || !process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return requireCompiled<typeof import("./main.ts")>(join(import.meta.dirname, INTERFACE_BUNDLE)).main;
}

function liveMain(): typeof import("./live.ts").main {
  return requireCompiled<typeof import("./live.ts")>(join(import.meta.dirname, LIVE_BUNDLE)).main;
}
