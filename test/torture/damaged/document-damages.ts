/** Damage to a file that is one document. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { COUNTED, leftOut, UNHARMED, type Damage } from "./damage.ts";
import { PLACE_DAMAGES } from "./path-damages.ts";

const OF_LINES = new Set(["the same session in two files", "its name in capitals"]);

const UNREADABLE = { ...leftOut("can be read|no readable record"), empty: 1 };

export const DOCUMENT_DAMAGES: readonly Damage[] = [
  ...PLACE_DAMAGES.filter(({ name }) => !OF_LINES.has(name)),
  { name: "BOM", make: (path) => rewrite(path, (text) => `\ufeff${text}`), promise: UNHARMED },
  { name: "CRLF", make: (path) => rewrite(path, (text) => text.replaceAll("\n", "\r\n")), promise: UNHARMED },
  { name: "on one line", make: (path) => rewrite(path, (text) => JSON.stringify(JSON.parse(text))), promise: UNHARMED },
  { name: "cut off at the end", make: (path) => rewrite(path, (text) => text.slice(0, -8)), promise: COUNTED },
  { name: "something after it", make: (path) => appendFileSync(path, "}]"), promise: COUNTED },
  { name: "empty", make: (path) => writeFileSync(path, ""), promise: UNREADABLE },
  {
    name: "nothing but NUL bytes",
    make: (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
    promise: UNREADABLE,
  },
];

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}
