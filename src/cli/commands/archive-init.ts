import { connected } from "../../archive/store/connection.ts";
import { migrate } from "../../archive/store/migrate.ts";
import { SCHEMA_VERSION } from "../../archive/store/schema.ts";
import { archiveOf, TO_OPTION } from "../archive-options.ts";
import type { Command } from "../command.ts";

const command: Command = {
  name: "archive init",
  description:
    "Creates the archive's tables in the schema amux of a database, or updates older ones. It is safe to run again. The user who runs it owns the archive and gives others access with amux archive members.",
  options: [TO_OPTION],
  examples: [["amux archive init --to postgres://admin@db.example/agents", "once, by its administrator"]],
  async run(invocation) {
    const { output } = invocation;
    const address = archiveOf(invocation);
    const applied = await connected(address, migrate);
    if (output.json) return output.writeJson({ archive: address.shown, schema: SCHEMA_VERSION, applied });
    const what = applied.length === 0 ? "is up to date" : "is ready";
    await output.write(`The archive in ${address.shown} ${what} (tables of version ${SCHEMA_VERSION}).\n`);
  },
};

export default command;
