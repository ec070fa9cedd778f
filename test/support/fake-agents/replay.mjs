#!/usr/bin/env node
/** Prints a recording, and records its arguments and input. */
import { readFileSync } from "node:fs";
import { once } from "node:events";
import { text as all } from "node:stream/consumers";
import { note } from "./lines.mjs";

const { FAKE_STREAM, FAKE_EXIT = "0", FAKE_STDERR = "", FAKE_NOISE = "0" } = process.env;
// With this option the input stays open after the prompt.
const converses = process.argv.includes("--permission-prompt-tool");
const stdin = converses ? String((await once(process.stdin, "data"))[0]) : await all(process.stdin);
process.stdin.destroy();
note(
  JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), stdin, nested: process.env.CLAUDECODE ?? null }),
);
process.stderr.write("noise\n".repeat(Number(FAKE_NOISE)) + FAKE_STDERR);
process.stdout.write(readFileSync(FAKE_STREAM));
process.exitCode = Number(FAKE_EXIT);
