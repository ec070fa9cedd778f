import { Vault } from "../../history/vault/vault.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import type { Command } from "../command.ts";
import { counted } from "../format/figures.ts";

const command: Command = {
  name: "vault verify",
  description:
    "Unpacks every copy and compares its digest. Damaged copies are listed, and the exit code is 1. Others are not affected. If the agent still has the file, amux vault sync copies it again.",
  examples: [["amux vault verify", "after a crash or a disk error"]],
  async run({ output }) {
    const vault = new Vault(processEnv());
    const damaged = vault.verify((done, total) => output.progress(`${done}/${total} files`));
    output.clearProgress();
    const { files } = vault.status();
    if (output.json) await output.writeJson({ files, damaged });
    else {
      const what = damaged.length === 0 ? "all intact" : `${damaged.length} damaged`;
      await output.write(`${counted(files, "file")} checked, ${what}.\n`);
      for (const { path, reason } of damaged) output.note(`${path}: ${reason}`);
    }
    return damaged.length > 0 ? 1 : 0;
  },
};

export default command;
