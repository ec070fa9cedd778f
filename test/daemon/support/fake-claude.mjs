#!/usr/bin/env node
/**
 * Writes transcripts and calls hooks as Claude Code does; every typed line is a prompt. /think holds the answer back until /done.
 * FAKE_HOOKS turns the hooks on; FAKE_CLEARS removes a taken line from the screen.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

const args = process.argv.slice(2);
if (args.includes("--version")) {
  console.log("2.1.0 (fake)");
  process.exit(0);
}
const projects = join(process.env.HOME, ".claude", "projects");
const directory = join(projects, process.cwd().replace(/[^A-Za-z0-9]/g, "-"));
const resumed = args.includes("--resume") ? args[args.indexOf("--resume") + 1] : undefined;
const forks = args.includes("--fork-session");
let id = resumed === undefined || forks ? randomUUID() : resumed;
let parent = resumed === undefined || forks ? null : lastRecord();
console.log(`fake ${resumed === undefined ? "new" : `${forks ? "forked" : "resumed"} ${resumed}`}`);

function place() {
  for (const project of readdirSync(projects, { withFileTypes: true })) {
    if (readdirSync(join(projects, project.name)).includes(`${id}.jsonl`)) return join(projects, project.name);
  }
  return directory;
}

/** The next record's parent. */
function lastRecord() {
  const path = join(place(), `${id}.jsonl`);
  if (!existsSync(path)) return null;
  return JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).uuid ?? null;
}

function record(type, message) {
  mkdirSync(directory, { recursive: true });
  const uuid = randomUUID();
  const common = {
    uuid,
    parentUuid: parent,
    sessionId: id,
    timestamp: new Date().toISOString(),
    cwd: process.cwd(),
    version: "2.1.0",
  };
  appendFileSync(join(place(), `${id}.jsonl`), `${JSON.stringify({ type, ...common, message })}\n`);
  parent = uuid;
}

function tellHook() {
  if (process.env.FAKE_HOOKS === undefined) return;
  const payload = { hook_event_name: "UserPromptSubmit", session_id: id, cwd: process.cwd() };
  const call = request({ socketPath: process.env.AMUX_SOCKET, path: "/hook", method: "POST" });
  call.on("error", () => undefined);
  call.end(JSON.stringify(payload));
}

createInterface({ input: process.stdin }).on("line", (line) => {
  if (process.env.FAKE_CLEARS !== undefined) process.stdout.write("\u001b[2J\u001b[H");
  if (line === "/clear") {
    id = randomUUID();
    parent = null;
    return console.log("cleared");
  }
  if (line.startsWith("/resume ")) {
    id = line.slice("/resume ".length);
    return console.log(`now in ${id}`);
  }
  if (line.startsWith("/think ")) {
    record("user", { role: "user", content: line.slice("/think ".length) });
    return console.log("thinking");
  }
  if (line === "/done") {
    answer("what it was about");
    return console.log("done with it");
  }
  record("user", { role: "user", content: line });
  tellHook();
  answer(line);
  console.log(`answered in ${id}`);
});

function answer(line) {
  record("assistant", {
    id: `msg_${randomUUID()}`,
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text: `answer to ${line}` }],
    stop_reason: "end_turn",
    usage: { input_tokens: 10, output_tokens: 5 },
  });
}
