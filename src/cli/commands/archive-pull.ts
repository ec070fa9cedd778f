import { join, resolve } from "node:path";
import { Bundle } from "../../archive/bundle.ts";
import { pull } from "../../archive/pull.ts";
import { connected } from "../../archive/store/connection.ts";
import { optional } from "../../lib/values/optional.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { archiveOf, FROM_OPTION } from "../archive-options.ts";
import type { Command } from "../command.ts";
import { AGENT_OPTION } from "../filters.ts";
import { count } from "../format/figures.ts";
import { withheldLines } from "../format/withheld.ts";

const command: Command = {
  name: "archive pull",
  description:
    "Fetches new and changed sessions that you may see, to read them without the database: give the directory to --archive instead of an address. It can be interrupted and repeated.",
  arguments: [{ name: "directory", description: "target directory (default: archive in amux's home)", optional: true }],
  options: [
    FROM_OPTION,
    AGENT_OPTION,
    { name: "owner", value: "name", description: "only this person's sessions", repeatable: true },
  ],
  examples: [
    ["amux archive pull", "everything you may see"],
    [
      "amux archive pull ./review --owner bob && amux sessions list --archive ./review",
      "one colleague's sessions, to read offline",
    ],
  ],
  async run(invocation) {
    const { output } = invocation;
    const directory = resolve(invocation.arguments[0] ?? join(amuxHome(processEnv()), "archive"));
    const owners = invocation.texts("owner");
    const result = await connected(archiveOf(invocation), (connection) =>
      pull(connection, new Bundle(directory), {
        ...optional("agent", invocation.text("agent")),
        ...optional("owners", owners.length > 0 ? owners : undefined),
        onProgress: ({ done, total }) => output.progress(`${done}/${total} sessions`),
      }),
    );
    if (output.json) await output.writeJson({ directory, ...result });
    else {
      await output.write(
        `${count(result.fetched)} sessions fetched, ${count(result.unchanged)} unchanged, in ${directory}.\n`,
      );
      for (const line of withheldLines(result.failed)) output.note(line);
    }
    return result.failed.length > 0 ? 1 : 0;
  },
};

export default command;
