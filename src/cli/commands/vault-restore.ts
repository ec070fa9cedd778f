import { Vault, type RestoredFile, type RestoredState } from "../../history/vault/vault.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { usageError, type Command } from "../command.ts";
import { counted } from "../format/figures.ts";
import { SESSION_ARGUMENTS } from "../session-reference.ts";
import { sessionInVault } from "../vault/vault-sessions.ts";

const command: Command = {
  name: "vault restore",
  description:
    "Writes the files of a session back to their places, with the time they had. An existing file is never changed: if it differs from the copy, it is reported and the exit code is 1. amux sessions resume restores a session by itself.",
  arguments: SESSION_ARGUMENTS.map((argument) => ({ ...argument, optional: true })),
  options: [
    { name: "all", description: "every session whose own file is gone" },
    {
      name: "touch",
      description: "give the files the current time, so that the agent does not delete them again at its next start",
    },
  ],
  examples: [
    ["amux vault restore claude 5cbe954d --touch", "one session, for some more weeks"],
    ["amux vault restore --all", "everything that agents have deleted"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const isAll = invocation.flag("all");
    if (isAll === invocation.arguments.length > 0) throw usageError("Name a session, or give --all.");
    const vault = new Vault(processEnv());
    const sessions = isAll
      ? vault.sessions().filter(({ isGone }) => isGone)
      : [await sessionInVault(vault, invocation.arguments)];
    const files = new Map(sessions.flatMap((session) => session.files.map((file) => [file.path, file])));
    const result = vault.restore([...files.values()], invocation.flag("touch"));
    if (output.json) await output.writeJson(result);
    else {
      await output.write(`${described(result)}\n`);
      for (const { path, state, reason } of result) {
        if (state === "differs") output.note(`not restored: ${reason ?? `${path} exists and differs from the copy.`}`);
        if (state === "damaged") output.note(`not restored: ${reason}`);
      }
    }
    return result.some(({ state }) => state === "differs" || state === "damaged") ? 1 : 0;
  },
};

export default command;

function described(result: readonly RestoredFile[]): string {
  const number = (wanted: RestoredState): number => result.filter(({ state }) => state === wanted).length;
  const parts = [
    `${counted(number("restored"), "file")} restored`,
    ...(number("present") > 0 ? [`${counted(number("present"), "file")} already there`] : []),
  ];
  return `${parts.join(", ")}.`;
}
