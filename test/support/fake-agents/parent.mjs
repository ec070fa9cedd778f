#!/usr/bin/env node
/** Exits normally, but leaves a child that holds standard output. */
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
