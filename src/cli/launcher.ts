#!/usr/bin/env node
/**
 * Where `amux` begins: a CommonJS file, because modules cost half an empty Node's start before they do anything. It
 * loads the part of the program that is meant, and the whole only when none of its parts knows what to do.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { requireCompiled } from "../lib/compiled-bundle.ts";
import { historyMain } from "./history-bundle.ts";

declare const AMUX_VERSION: string;
/** The name of the bundle that holds the terminal interface, beside this file. */
declare const INTERFACE_BUNDLE: string;

/** Beside this file. Its name is not a literal, so that the build leaves it alone. */
const WHOLE_PROGRAM: string = "./amux.js";

const argv = process.argv.slice(2);

if (argv[0] === "--version" || argv[0] === "-V") process.stdout.write(`${AMUX_VERSION}\n`);
// The process that holds one session; it finds its id behind --shim by itself.
else if (argv[0] === "--shim") createRequire(import.meta.url)("./runner.cjs");
else void run();

async function run(): Promise<void> {
  const code = (interfaceMain() ?? historyMain(argv) ?? liveMain())(argv);
  // Not process.exit: output that a slow reader has not taken yet must still go out.
  if (code !== undefined) process.exitCode = await code;
  else await import(WHOLE_PROGRAM);
}

/** `amux` alone, on a terminal. */
function interfaceMain(): typeof import("./main.ts").main | undefined {
  if (argv.length > 0 || !process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  const path = fileURLToPath(new URL(INTERFACE_BUNDLE, import.meta.url));
  return requireCompiled<typeof import("./main.ts")>(path).main;
}

function liveMain(): typeof import("./live.ts").main {
  return (createRequire(import.meta.url)("./live.cjs") as typeof import("./live.ts")).main;
}
