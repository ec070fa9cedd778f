import { resolve } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { checkoutOf } from "../../changes/worktree/repository.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { TrustFile } from "../../status/trust.ts";
import type { Command } from "../command.ts";

const command: Command = {
  name: "trust remove",
  arguments: [{ name: "path", description: "the project (default: here), or a plug-in's file", optional: true }],
  examples: [["amux trust remove ~/dev/shop", "stop running its programs"]],
  async run({ arguments: [dir = "."], output }) {
    const directory = resolve(dir);
    const trust = new TrustFile(amuxHome(processEnv()));
    // A repository is trusted as a whole, from whichever checkout.
    const root = (await checkoutOf(directory))?.root;
    const removed = [directory, ...(root === undefined || root === directory ? [] : [root])].map((path) =>
      trust.remove(path),
    );
    if (!removed.includes(true)) {
      throw new AgentMuxError("CONFIG_ERROR", `${directory} is not trusted. amux trust list shows what is.`);
    }
    if (output.json) await output.writeJson({ directory, trusted: false });
  },
};

export default command;
