/** Reproducible terminal output: coloured logs, full-screen repaints, plain text. */
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";

const UNIT_BYTES = 4_000_000;
const WORDS =
  "build cache config error file function handler index module path read return session test token update value wait 結果 测试 naïve ✓ ✗ → 🚀".split(
    " ",
  );
const ASCII_WORDS = WORDS.slice(0, 18);
const REPAINTED_LINES = 12;

export const KINDS = ["mixed", "repaint", "plain"];

export function writeOutput(path, kind, megabytes) {
  const unit = unitOf(kind);
  const fd = openSync(path, "w");
  for (let left = megabytes * 1e6; left > 0; left -= unit.length) writeSync(fd, unit);
  closeSync(fd);
}

/** The same lines without repaints, for a history of a given length. */
export function writeLines(path, count) {
  const random = new Random(5);
  writeFileSync(path, Array.from({ length: count }, () => `${colouredLine(random)}\x1b[0m\r\n`).join(""));
}

function unitOf(kind) {
  const random = new Random(11);
  const block = { mixed: mixedBlock, repaint: repaint, plain: plainLine }[kind];
  const pieces = [];
  for (let bytes = 0; bytes < UNIT_BYTES; bytes += pieces.at(-1).length) pieces.push(Buffer.from(block(random)));
  return Buffer.concat(pieces);
}

function mixedBlock(random) {
  const which = random.next();
  if (which < 0.12) return repaint(random);
  if (which < 0.2) return progressBar(random);
  if (which < 0.22) return alternateScreen(random);
  return `${colouredLine(random)}\r\n`;
}

function plainLine(random) {
  let line = "";
  const length = 40 + random.below(60);
  while (line.length < length) line += `${random.of(ASCII_WORDS)} `;
  return `${line}\n`;
}

/** Like programs built on Ink: up, erase, write again. */
function repaint(random) {
  const lines = Array.from({ length: REPAINTED_LINES }, () => `${colouredLine(random).slice(0, 60)}\x1b[0m\r\n`);
  return `\x1b[?25l${"\x1b[2K\x1b[1A".repeat(REPAINTED_LINES)}\x1b[2K\x1b[G${lines.join("")}\x1b[?25h`;
}

function progressBar(random) {
  const steps = Array.from(
    { length: 21 },
    (_, done) => `\r\x1b[K${colour(random)}${"█".repeat(done)}${"░".repeat(20 - done)}\x1b[0m ${done * 5}%`,
  );
  return `${steps.join("")}\n`;
}

function alternateScreen(random) {
  const rows = Array.from(
    { length: 24 },
    (_, y) => `\x1b[${y + 1};1H${colour(random)}${words(random, 6).slice(0, 70)}\x1b[m\x1b[K`,
  );
  return `\x1b[?1049h\x1b[H\x1b[2J${rows.join("")}\x1b[?1049l`;
}

function colouredLine(random) {
  const which = random.next();
  if (which < 0.3) return words(random, 3 + random.below(12));
  if (which < 0.6) {
    return `${colour(random)}${words(random, 2)}\x1b[0m ${words(random, 2 + random.below(7))} ${colour(random)}${random.below(10_000)}\x1b[39m`;
  }
  if (which < 0.75) return `${random.of(["\x1b[32m+", "\x1b[31m-", " "])} ${words(random, 3 + random.below(8))}\x1b[0m`;
  if (which < 0.85) return `\x1b[90m│\x1b[0m ${words(random, 2 + random.below(8)).padEnd(66)}\x1b[90m│\x1b[0m`;
  return words(random, 20 + random.below(21));
}

function colour(random) {
  const channel = () => random.below(256);
  return random.of([
    "\x1b[31m",
    "\x1b[32m",
    "\x1b[1;33m",
    `\x1b[38;5;${16 + random.below(216)}m`,
    `\x1b[38;2;${channel()};${channel()};${channel()}m`,
    "\x1b[2m",
    "\x1b[7m",
    `\x1b[48;5;${232 + random.below(24)}m`,
  ]);
}

function words(random, count) {
  return Array.from({ length: count }, () => random.of(WORDS)).join(" ");
}

/** Small, and the same everywhere. */
class Random {
  #state;

  constructor(seed) {
    this.#state = seed;
  }

  next() {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  below(limit) {
    return Math.floor(this.next() * limit);
  }

  of(values) {
    return values[this.below(values.length)];
  }
}
