/**
 * An agent with an input line, turns and a transcript of JSON lines. It refuses what is typed while it works or asks, so that
 * a prompt that comes too early is seen. Usage: node turn-agent.mjs TRANSCRIPT [TURN_MS]
 */
import { appendFileSync } from "node:fs";

const [, , transcript, turnMs = "100"] = process.argv;
let text = "";
let isWorking = false;
const log = [];
const tell = (state) => process.stdout.write(`\u001b]7501;state=${state}:app=x\u0007`);

function draw() {
  const shown = [...log.slice(-10), "", "────────", ...`❯ ${text}`.split("\n"), "────────", "  ? for shortcuts"];
  process.stdout.write(`\u001b[2J\u001b[H${shown.join("\r\n")}`);
}

function take() {
  const content = text;
  text = "";
  if (isWorking) return log.push(`too early:${content}:`);
  const timestamp = new Date().toISOString();
  appendFileSync(transcript, `${JSON.stringify({ type: "user", timestamp, message: { role: "user", content } })}\n`);
  log.push(`took:${content}:`);
  isWorking = true;
  tell("working");
  setTimeout(() => {
    isWorking = false;
    tell("idle");
    draw();
  }, Number(turnMs));
}

process.stdout.write("\u001b[?2004h");
process.stdin.setRawMode(true);
tell("idle");
draw();
process.stdin.on("data", (data) => {
  const input = String(data);
  if (input === "\r") take();
  else text += input.replaceAll(/\u001b\[20[01]~/g, "").replaceAll("\r", "\n");
  draw();
});
