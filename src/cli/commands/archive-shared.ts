import { sharingRecord, type Shared } from "../../archive/sharing-record.ts";
import { connected } from "../../archive/store/connection.ts";
import { localTime } from "../../lib/text/local-time.ts";
import { archiveOf, TO_OPTION } from "../archive-options.ts";
import { usageError, type Command } from "../command.ts";
import { table } from "../format/table.ts";

const DEFAULT_LIMIT = "100";

const command: Command = {
  name: "archive shared",
  description:
    "Lists what you shared and what was shared with your teams, newest first. The database writes this record itself, so no line can be left out.",
  options: [
    TO_OPTION,
    { name: "limit", value: "n", description: `at most this many lines (default ${DEFAULT_LIMIT})` },
  ],
  examples: [["amux archive shared --limit 20", "what was shared last"]],
  async run(invocation) {
    const { output } = invocation;
    const limit = Number(invocation.text("limit") ?? DEFAULT_LIMIT);
    if (!Number.isInteger(limit) || limit < 1) throw usageError("--limit takes a number of at least 1.");
    const record = await connected(archiveOf(invocation), (connection) => sharingRecord(connection, limit));
    if (output.json) return output.writeJson(record);
    if (record.length === 0) return output.note("Nothing was shared yet.");
    const columns = [
      { title: "WHEN", value: ({ at }: Shared) => (at === null ? "earlier" : localTime(at)) },
      { title: "WHO", value: ({ owner }: Shared) => owner },
      { title: "WITH", value: ({ team }: Shared) => team ?? "(no longer)" },
      { title: "SESSION", value: ({ unifiedId }: Shared) => unifiedId },
    ];
    const lines = table(record, columns, output.width, (text) => output.style("dim", text));
    await output.write(lines.map((line) => `${line}\n`));
  },
};

export default command;
