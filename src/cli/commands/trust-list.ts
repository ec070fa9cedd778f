import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { oneLine } from "../../lib/text/text.ts";
import { TrustFile } from "../../status/trust.ts";
import type { Command } from "../command.ts";
import { tildePath } from "../format/tilde-path.ts";

const command: Command = {
  name: "trust list",
  examples: [["amux trust list --json", "with digests and times"]],
  async run({ output }) {
    const entries = new TrustFile(amuxHome(processEnv())).list();
    if (output.json) return output.writeJson(entries);
    if (entries.length === 0) return output.note("No project and no plug-in is trusted.");
    await output.write(
      entries.map(
        ({ directory, use, runs, since }) =>
          `${oneLine(tildePath(directory))}  ${use}  ${oneLine(runs.join(", "))}  since ${since.slice(0, 10)}\n`,
      ),
    );
  },
};

export default command;
