#!/usr/bin/env node
import { historyMain } from "./history-bundle.ts";

const argv = process.argv.slice(2);
const main = historyMain(argv) ?? (await import("./main.ts")).main;
// Not process.exit: output that a slow reader has not taken yet must still go out.
process.exitCode = await main(argv);
