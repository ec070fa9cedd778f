/** The minimum for a search from the shell: sizes and times of all files, since no directory says that one has grown. */
import { readdirSync, statSync } from "node:fs";

for (const folder of [".claude", ".codex"]) look(`${process.argv[2]}/${folder}`);

function look(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) look(path);
    else statSync(path);
  }
}
