/** What a question from the shell cannot do without: sizes and times of all files, as no directory tells that one has grown. */
import { readdirSync, statSync } from "node:fs";

for (const folder of [".claude", ".codex"]) look(`${process.argv[2]}/${folder}`);

function look(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) look(path);
    else statSync(path);
  }
}
