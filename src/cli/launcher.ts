#!/usr/bin/env node
/**
 * Where `amux` begins: a CommonJS file, because modules cost half an empty Node's start before they do anything. It
 * loads the small part of the program, and the whole only when that does not know what to do.
 */
import { createRequire } from "node:module";
import { historyMain } from "./history-bundle.ts";

declare const AMUX_VERSION: string;

/** Beside this file. Its name is not a literal, so that the build leaves it alone. */
const WHOLE_PROGRAM: string = "./amux.js";

const argv = process.argv.slice(2);

if (argv[0] === "--version" || argv[0] === "-V") process.stdout.write(`${AMUX_VERSION}\n`);
else void run();

async function run(): Promise<void> {
  const code = (historyMain(argv) ?? liveMain())(argv);
  // Not process.exit: output that a slow reader has not taken yet must still go out.
  if (code !== undefined) process.exitCode = await code;
  else await import(WHOLE_PROGRAM);
}

function liveMain(): typeof import("./live.ts").main {
  return (createRequire(import.meta.url)("./live.cjs") as typeof import("./live.ts")).main;
}
