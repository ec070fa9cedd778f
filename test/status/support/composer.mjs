/**
 * An agent's input line that treats an Enter close to text as part of it; `queue` keeps messages for later.
 * Usage: node composer.mjs [MILLISECONDS] [queue]
 * TRANSCRIPT: a file in which it writes a message down at any Enter, also while it still shows it in its input line.
 */
import { appendFileSync } from "node:fs";

const [, , soon = "0", how] = process.argv;
let text = "";
let wordsAt = 0;
const log = [];
const tell = (state) => process.stdout.write(`\u001b]7501;state=${state}:app=x\u0007`);

function draw() {
  const shown = [...log, "", "────────", ...`❯ ${text}`.split("\n"), "────────", "  ? for shortcuts"];
  process.stdout.write(`\u001b[2J\u001b[H${shown.join("\r\n")}`);
}

function writeDown(transcript) {
  appendFileSync(transcript, `${JSON.stringify({ type: "user", message: { role: "user", content: text } })}\n`);
}

process.stdout.write("\u001b[?2004h");
process.stdin.setRawMode(true);
tell(how === "queue" ? "working" : "idle");
draw();
process.stdin.on("data", (data) => {
  const input = String(data);
  if (input === "\r" && process.env.TRANSCRIPT !== undefined) writeDown(process.env.TRANSCRIPT);
  if (input === "\r" && Date.now() - wordsAt >= Number(soon)) {
    log.push(how === "queue" ? `queued:${text}:` : `took:${text}:`);
    text = "";
    tell("working");
  } else {
    text += input.replaceAll(/\u001b\[20[01]~/g, "").replaceAll("\r", "\n");
    wordsAt = Date.now();
  }
  draw();
});
