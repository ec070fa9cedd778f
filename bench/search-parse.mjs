/** Baseline for the index build: JSON.parse of every line of every session. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

for (const folder of [".claude", ".codex"]) parseAll(join(process.argv[2], folder));

function parseAll(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) parseAll(path);
    else if (path.endsWith(".jsonl"))
      for (const line of readFileSync(path, "utf8").split("\n")) if (line !== "") JSON.parse(line);
  }
}
