#!/usr/bin/env node
/**
 * Replays recordings on command: a JSON line on its terminal names the lines of a recorded file to append to its store. It also
 * shows them, and calls the session's hook with a recorded payload.
 */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

if (process.argv.includes("--version")) {
  console.log("1.0.0 (replay)");
  process.exit(0);
}
console.log("replay ready");

/** Recorded times and paths become the current ones, or times so much later. */
function here(text, laterMs) {
  let moments = 0;
  return text
    .replaceAll(
      /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"/g,
      () => `"${new Date(Date.now() + laterMs + moments++).toISOString()}"`,
    )
    .replaceAll(/\/home\/user\/dev\/[\w.-]+/g, process.cwd());
}

function* textsIn(value) {
  if (typeof value === "string" && value.includes(" ")) yield value;
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) yield* textsIn(part);
}

function callHook(payload) {
  return new Promise((resolve) => {
    const call = request({ socketPath: process.env.AMUX_SOCKET, path: "/hook", method: "POST" }, (response) => {
      response.resume().once("end", resolve);
    });
    call.once("error", resolve);
    call.end(JSON.stringify(payload));
  });
}

let written = 0;
createInterface({ input: process.stdin }).on("line", (line) => void replay(line));

async function replay(line) {
  const { file, to, from = 0, until, hook, laterMs = 0 } = JSON.parse(line);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(from, until);
  const target = join(process.env.HOME, to);
  mkdirSync(dirname(target), { recursive: true });
  const text = here(`${lines.join("\n")}\n`, laterMs);
  appendFileSync(target, text);
  if (hook !== undefined) await callHook(hook);
  for (const part of textsIn(
    text
      .split("\n")
      .filter(Boolean)
      .map((one) => JSON.parse(one)),
  )) {
    if (part.length < 400) console.log(part);
  }
  console.log(`replayed ${++written}`);
}
