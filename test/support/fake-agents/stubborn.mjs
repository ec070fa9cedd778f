#!/usr/bin/env node
/** Ignores requests to end, and so does its child. */
import { spawn } from "node:child_process";
import { begin, note } from "./lines.mjs";

process.on("SIGTERM", () => note("SIGTERM"));
process.on("SIGINT", () => note("SIGINT"));
const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('child is up')";
const child = spawn(process.execPath, ["-e", stubborn], { stdio: ["ignore", "pipe", "inherit"] });
child.stdout.once("data", () => {
  note(`child ${child.pid}`);
  note(`pid ${process.pid}`);
  begin();
});
setInterval(() => undefined, 1000);
