import { processEnv } from "../../lib/fs/paths.ts";
import { indexPath } from "../../history/cache/session-cache.ts";
import type { Command } from "../command.ts";

const command: Command = {
  name: "index path",
  description: "Prints the path of the index, a SQLite database. docs/faq.md describes its views.",
  examples: [['sqlite3 "$(amux index path)" "SELECT title, usd FROM session"', "query your own history"]],
  async run({ output }) {
    const path = indexPath(processEnv());
    if (output.json) return output.writeJson({ path });
    await output.write(`${path}\n`);
  },
};

export default command;
