#!/usr/bin/env node
/** Ends properly, but leaves a child behind that holds on to standard output. */
import { spawn } from "node:child_process";
import { begin, note, result, text } from "./lines.mjs";

const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
  stdio: ["ignore", "inherit", "inherit"],
});
note(`child ${child.pid}`);
begin();
text("Done.");
result();
process.exitCode = 0;
child.unref();
