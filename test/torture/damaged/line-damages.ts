/** Damage to a file of records by crashes, editors, other systems and disks. */
import { appendFileSync, closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { isLong } from "../long-form.ts";
import { COUNTED, EMPTY, leftOut, LOST_ONE, UNHARMED, type Damage } from "./damage.ts";

const NUL_BLOCK = Buffer.alloc(4096);
/** Together they cover most reading code; all agents would take minutes. */
const FEW_READERS = new Set(["claude", "codex", "pi"]);
const MEGABYTE = 1024 * 1024;

export const LINE_DAMAGES: readonly Damage[] = [
  {
    name: "torn last line",
    make: (path) => appendFileSync(path, lastLine(path).subarray(0, -5)),
    promise: COUNTED,
    // Their last line may still be incomplete, so it is not reported.
    exceptions: { claude: UNHARMED, copilot: UNHARMED, gemini: UNHARMED },
  },
  { name: "torn line in the middle", make: (path) => insert(path, Buffer.from('{"type":"us\n')), promise: COUNTED },
  { name: "a line that is no record", make: (path) => insert(path, Buffer.from("[1,2]\n42\n")), promise: COUNTED },
  {
    name: "nested too deep",
    make: (path) => insert(path, Buffer.from(`{"a":${"[".repeat(200_000)}\n`)),
    promise: COUNTED,
  },
  {
    name: "a record cut off in the middle of the file",
    make: (path) => middle(path, (line) => line.slice(0, line.length >> 1)),
    promise: LOST_ONE,
    // Their middle record is no message. Grok's is a call, whose next update has it once more.
    exceptions: {
      codex: COUNTED,
      copilot: COUNTED,
      gemini: COUNTED,
      grok: COUNTED,
      kimi: COUNTED,
      pi: COUNTED,
      qwen: COUNTED,
    },
  },
  {
    name: "two records on one line",
    make: (path) => middle(path, (line) => line, ""),
    promise: LOST_ONE,
    // The same, and Cursor's middle record is the last.
    exceptions: { codex: COUNTED, copilot: COUNTED, cursor: UNHARMED, grok: COUNTED },
  },
  {
    name: "the last record twice",
    make: (path) => appendFileSync(path, lastLine(path)),
    promise: UNHARMED,
    // Its records have no ids: the same words may have been said twice.
    exceptions: { cursor: { messages: "other" } },
  },
  {
    name: "a clock that was set back in between",
    make: (path) => rewrite(path, (text) => text.slice(0, text.length >> 1) + earlier(text.slice(text.length >> 1))),
    promise: UNHARMED,
  },
  { name: "NUL block between lines", make: (path) => insert(path, NUL_BLOCK), promise: UNHARMED },
  { name: "NUL block at the end", make: (path) => appendFileSync(path, NUL_BLOCK), promise: UNHARMED },
  {
    name: "nothing but NUL bytes",
    make: (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
    promise: { ...leftOut("NUL bytes|can be read|no readable record"), empty: 1 },
  },
  { name: "BOM", make: (path) => rewrite(path, (text) => `\ufeff${text}`), promise: UNHARMED },
  { name: "CRLF", make: (path) => rewrite(path, (text) => text.replaceAll("\n", "\r\n")), promise: UNHARMED },
  {
    name: "blank lines",
    make: (path) => rewrite(path, (text) => text.replaceAll("\n", "\n\n  \n")),
    promise: UNHARMED,
  },
  { name: "U+2028 in a text", make: (path) => noted(path, Buffer.from("a\u2028b\u2029c")), promise: UNHARMED },
  { name: "lone surrogate", make: (path) => noted(path, Buffer.from("\\ud800 \\udc00")), promise: UNHARMED },
  { name: "bytes that are no UTF-8", make: (path) => noted(path, Buffer.from([0xff, 0xc0, 0x80])), promise: UNHARMED },
  {
    name: "a record of 20 MB",
    make: (path) => noted(path, Buffer.alloc(20 * MEGABYTE, "x"), 1),
    promise: UNHARMED,
    concerns: ({ agent }) => isLong || FEW_READERS.has(agent),
  },
  {
    name: isLong ? "a line of 600 MB" : "a line of 300 MB",
    make: (path) => sparseLine(path, (isLong ? 600 : 300) * MEGABYTE),
    promise: COUNTED,
    // All read lines with the same code; a line of this length is read for seconds.
    concerns: ({ agent }) => isLong || agent === "claude",
  },
  {
    name: "empty",
    make: (path) => writeFileSync(path, ""),
    promise: EMPTY,
    // Without its first record a chat of VS Code cannot be built up.
    exceptions: { gemini: { empty: 0 }, vscode: { skipped: "can be read" } },
  },
  {
    name: "cut off in its first line",
    make: (path) => writeFileSync(path, readFileSync(path).subarray(0, 10)),
    promise: { ...leftOut("no readable|can be read"), empty: 1 },
    exceptions: { codex: { damaged: true } },
  },
];

function lastLine(path: string): Buffer {
  const bytes = readFileSync(path);
  return bytes.subarray(bytes.lastIndexOf(10, bytes.length - 2) + 1);
}

/** Between two records near the middle. */
function insert(path: string, between: Uint8Array): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(10, bytes.length >> 1) + 1;
  writeFileSync(path, Buffer.concat([bytes.subarray(0, at), between, bytes.subarray(at)]));
}

/** Changes the record in the middle, and what follows it. */
function middle(path: string, change: (line: string) => string, end = "\n"): void {
  rewrite(path, (text) => {
    const lines = text.split("\n");
    const at = lines.length >> 1;
    return [
      ...lines.slice(0, at).map((line) => `${line}\n`),
      change(lines[at]!),
      end,
      lines.slice(at + 1).join("\n"),
    ].join("");
  });
}

/** Moves every time ten years back. */
function earlier(text: string): string {
  const TEN_YEARS_MS = 315_360_000_000;
  return text
    .replace(
      /\b20(\d\d)(-\d\d-\d\dT)/g,
      (_, year: string, rest: string) => `20${String(Number(year) - 10).padStart(2, "0")}${rest}`,
    )
    .replace(/\b1[78]\d{11}\b/g, (ms) => String(Number(ms) - TEN_YEARS_MS));
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

/** Adds a field to the first records, or to all. */
function noted(path: string, value: Buffer, records = Number.POSITIVE_INFINITY): void {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const parts = lines.flatMap((line, at) =>
    at >= records || !line.endsWith("}")
      ? [Buffer.from(`${line}\n`)]
      : [Buffer.from(`${line.slice(0, -1)},"amux_note":"`), value, Buffer.from('"}\n')],
  );
  writeFileSync(path, Buffer.concat(parts));
}

/** A sparse hole reads as NUL bytes and takes no space. */
function sparseLine(path: string, bytes: number): void {
  const size = readFileSync(path).length;
  const fd = openSync(path, "r+");
  writeSync(fd, '{"type":"', size);
  ftruncateSync(fd, size + bytes);
  writeSync(fd, '"}\n', size + bytes);
  closeSync(fd);
}
