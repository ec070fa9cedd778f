/** Competing CPU and disk load, until stopped or its starter is gone. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Each checks for its parent: a killed one cannot stop it.
const BUSY = `
  const parent = process.ppid;
  while (process.ppid === parent) for (let i = 0; i < 1e8; i++);`;

const WRITER = `
  const { openSync, writeSync, fsyncSync } = require("node:fs");
  const parent = process.ppid;
  const file = openSync(process.argv[1], "w");
  const piece = Buffer.alloc(4 * 2 ** 20, "amux");
  while (process.ppid === parent) {
    for (let i = 0; i < 16; i++) writeSync(file, piece, 0, piece.length, i * piece.length);
    fsyncSync(file);
  }`;

/** Returns a function that stops it. */
export function competingLoad({ loops, writer }) {
  const directory = mkdtempSync(join(tmpdir(), "amux-load-"));
  const children = Array.from({ length: loops }, () => idle(["-e", BUSY]));
  if (writer) children.push(idle(["-e", WRITER, join(directory, "written")]));
  return () => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
}

function idle(args) {
  return spawn(process.execPath, args, { stdio: "ignore" });
}
