/**
 * Shows a recorded screen with a choice, as agents do: arrows move the mark, and Enter takes what is marked.
 *
 *     node choice.mjs FILE OPTION…
 *
 * Options are the beginnings of their lines, without mark and number. An option that ends in "!" ends the program.
 */
import { readFileSync } from "node:fs";

const [file, ...options] = process.argv.slice(2);
const isEnd = (option) => option.endsWith("!");
const words = options.map((option) => option.replace(/!$/, ""));
const MARK = /[❯›●]/u;
const lines = readFileSync(file, "utf8").trimEnd().split("\n");
const rows = words.map((word) => lines.findIndex((line) => line.includes(word)));
const sign = MARK.exec(lines.find((line, row) => rows.includes(row) && MARK.test(line)))[0];
let marked = rows.findIndex((row) => MARK.test(lines[row]));

function draw() {
  const shown = lines.map((line, row) => {
    const option = rows.indexOf(row);
    if (option === -1) return line;
    const plain = line.replace(sign, " ");
    if (option !== marked) return plain;
    const at = lines[rows.find((other) => lines[other].includes(sign))].indexOf(sign);
    return plain.slice(0, at) + sign + plain.slice(at + 1);
  });
  process.stdout.write(`\u001b[2J\u001b[H${shown.join("\r\n")}`);
}

process.stdin.setRawMode(true);
draw();
process.stdin.on("data", (key) => {
  if (String(key) === "\u001b[A") marked = Math.max(0, marked - 1);
  else if (String(key) === "\u001b[B") marked = Math.min(rows.length - 1, marked + 1);
  else if (String(key) === "\r") {
    if (isEnd(options[marked])) process.exit(1);
    process.stdout.write(`\u001b[2J\u001b[Htook:${words[marked]}:\r\n`);
    return;
  } else process.stdout.write(`\r\nkey:${JSON.stringify(String(key))}:`);
  draw();
});
