/**
 * Shows a recorded screen with a choice: arrows move the mark, Enter takes it. The result is printed below.
 * Usage: node choice.mjs FILE OPTION… (start of each line; "!" at the end exits, "…" takes text)
 * APPLICATION=1 expects application arrows, PASTES=1 bracketed paste.
 */
import { readFileSync } from "node:fs";

const [file, ...options] = process.argv.slice(2);
const words = options.map((option) => option.replace(/[!…]$/u, ""));
const MARK = /[❯›●→]/u;
const lines = readFileSync(file, "utf8").trimEnd().split("\n");
const rows = words.map((word) => lines.findIndex((line) => line.includes(word)));
const sign = MARK.exec(lines.find((line, row) => rows.includes(row) && MARK.test(line)))[0];
const at = lines[rows.find((row) => lines[row].includes(sign))].indexOf(sign);
const [up, down] = process.env.APPLICATION === "1" ? ["\u001bOA", "\u001bOB"] : ["\u001b[A", "\u001b[B"];
let marked = rows.findIndex((row) => MARK.test(lines[row]));
let text = "";
let isOver = false;

function draw() {
  const shown = lines.map((line, row) => {
    const option = rows.indexOf(row);
    if (option === -1) return line;
    const plain = line.replace(sign, " ");
    if (option !== marked) return plain;
    const written = text === "" ? plain : plain.replace(words[option], text);
    return written.slice(0, at) + sign + written.slice(at + 1);
  });
  process.stdout.write(`\u001b[2J\u001b[H${shown.join("\r\n")}`);
}

function take() {
  if (options[marked].endsWith("!")) process.exit(1);
  isOver = true;
  process.stdout.write(`\u001b[2J\u001b[Htook:${words[marked]}:${text}:\r\n`);
}

if (process.env.APPLICATION === "1") process.stdout.write("\u001b[?1h");
if (process.env.PASTES === "1") process.stdout.write("\u001b[?2004h");
process.stdin.setRawMode(true);
draw();
process.stdin.on("data", (data) => {
  const key = String(data);
  if (isOver) return void process.stdout.write(`after:${JSON.stringify(key)}:\r\n`);
  if (key === up) marked = Math.max(0, marked - 1);
  else if (key === down) marked = Math.min(rows.length - 1, marked + 1);
  else if (key === "\r") return take();
  else if (options[marked].endsWith("…")) text += key.replaceAll(/\u001b\[20[01]~/g, "");
  else return void process.stdout.write(`\r\nkey:${JSON.stringify(key)}:`);
  draw();
});
