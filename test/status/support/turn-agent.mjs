#!/usr/bin/env node
/**
 * An agent with an input line, turns and a transcript of JSON lines. It says when a prompt comes too early. `/exit` ends it. Without
 * a transcript it acts as `claude`: it writes where Claude Code does, takes `--resume ID`, and with FAKE_HOOKS calls hooks.
 * Usage: node turn-agent.mjs [TRANSCRIPT [TURN_MS]]
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";

const [, , first = "--", turnMs = "100"] = process.argv;
if (process.argv.includes("--version")) {
  console.log("2.1.0 (fake)");
  process.exit(0);
}
const isClaude = first.startsWith("-");
const resumed = process.argv.indexOf("--resume");
const id = resumed === -1 ? randomUUID() : process.argv[resumed + 1];
const project = process.cwd().replaceAll(/[^A-Za-z0-9]/g, "-");
const transcript = isClaude ? join(process.env.HOME, ".claude", "projects", project, `${id}.jsonl`) : first;
let text = "";
let isWorking = false;
const log = [];
const tell = (state, event) => {
  process.stdout.write(`\u001b]7501;state=${state}:app=x\u0007`);
  if (process.env.FAKE_HOOKS === undefined) return;
  const call = request({ socketPath: process.env.AMUX_SOCKET, path: "/hook", method: "POST" });
  call.on("error", () => undefined);
  call.end(JSON.stringify({ hook_event_name: event, session_id: id, cwd: process.cwd() }));
};

function draw() {
  const shown = [...log.slice(-10), "", "────────", ...`❯ ${text}`.split("\n"), "────────", "  ? for shortcuts"];
  process.stdout.write(`\u001b[2J\u001b[H${shown.join("\r\n")}`);
}

function record(role, content) {
  const uuid = randomUUID();
  const common = { uuid, parentUuid: null, sessionId: id, cwd: process.cwd(), version: "2.1.0" };
  const timestamp = new Date().toISOString();
  mkdirSync(dirname(transcript), { recursive: true });
  appendFileSync(transcript, `${JSON.stringify({ type: role, ...common, timestamp, message: { role, content } })}\n`);
}

function take() {
  const content = text;
  text = "";
  if (isWorking) return log.push(`too early:${content}:`);
  if (content === "/exit") process.exit(0);
  record("user", content);
  log.push(`took:${content}:`);
  isWorking = true;
  tell("working", "UserPromptSubmit");
  setTimeout(() => {
    isWorking = false;
    tell("idle", "Stop");
    draw();
  }, Number(turnMs));
}

process.stdout.write("\u001b[?2004h");
process.stdin.setRawMode(true);
tell("idle", "SessionStart");
draw();
process.stdin.on("data", (data) => {
  const input = String(data);
  if (input === "\r") take();
  else text += input.replaceAll(/\u001b\[20[01]~/g, "").replaceAll("\r", "\n");
  draw();
});
