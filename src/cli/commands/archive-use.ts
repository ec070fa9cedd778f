import { keepAddress } from "../../archive/address.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { standardInput } from "../archive-options.ts";
import type { Command } from "../command.ts";

const command: Command = {
  name: "archive use",
  description:
    "Saves an archive's address for the other commands, in a private file of amux's home. Without an address on the command line it is read from standard input, so that a password does not appear in the process list.",
  arguments: [{ name: "address", description: "postgres://user@host/database", optional: true }],
  examples: [
    ["amux archive use postgres://alice@db.example/agents", "the password comes from ~/.pgpass"],
    ["pass show archive | amux archive use", "an address with a password, from a password manager"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const text = invocation.arguments[0] ?? (await standardInput());
    const { shown } = keepAddress(processEnv(), text);
    if (output.json) await output.writeJson({ archive: shown });
    else await output.write(`The archive is ${shown}.\n`);
  },
};

export default command;
