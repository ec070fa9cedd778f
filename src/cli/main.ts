/** The `amux` command: finds the subcommand and runs it. */
import { findCommand } from "./commands.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { invoke, reporting, wantsJson } from "./invoke.ts";
import { plugInAgents } from "./plug-in-agents.ts";
import { refuseOnWindows } from "./works-everywhere.ts";

declare const AMUX_VERSION: string;

export async function main(argv: readonly string[], platform = process.platform): Promise<number> {
  const [first] = argv;
  if (first === "--version" || first === "-V") return reporting(false, () => say(`${AMUX_VERSION}\n`));
  if (first === undefined && process.stdin.isTTY && process.stdout.isTTY && platform !== "win32")
    return (await import("./open-interface.ts")).openInterface();
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    return reporting(wantsJson(argv), () => help(argv));
  }
  const found = findCommand(argv);
  if (found === undefined) return reporting(wantsJson(argv), () => notACommand(argv));
  const words = argv.slice(found.words);
  const isHelp = words.includes("--help") || words.includes("-h");
  return invoke(async () => {
    if (!isHelp) refuseOnWindows(platform, found.entry.name);
    // A plug-in that cannot be loaded can still be removed.
    if (!found.entry.name.startsWith("trust")) await plugInAgents();
    return found.entry.load();
  }, words);
}

async function help([first, ...words]: readonly string[]): Promise<number> {
  const [{ commandHelp, helpWidth }, { allCommandsHelp, generalHelp }] = await Promise.all([
    import("./command-help.ts"),
    import("./help.ts"),
  ]);
  const width = helpWidth((process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY);
  if (first !== "help" || words[0] === undefined) return say(generalHelp(AMUX_VERSION, width));
  if (words[0] === "all") return say(allCommandsHelp(AMUX_VERSION, width));
  const asked = findCommand(words);
  if (asked !== undefined) return say(commandHelp((await asked.entry.load()).default, width));
  const isGroup = words[1] === undefined || words[1].startsWith("-");
  return notACommand(isGroup ? [words[0], "--help"] : words);
}

async function say(text: string, exitCode = 0): Promise<number> {
  const { Output } = await import("./output.ts");
  await new Output(false).write(text);
  return exitCode;
}

/** Not a command: lists a group's subcommands, or fails. */
async function notACommand([first = "", second]: readonly string[]): Promise<number> {
  const { groupHelp, unknownCommand } = await import("./unknown-command.ts");
  const verbs = second === undefined || second.startsWith("-") ? groupHelp(first) : undefined;
  if (verbs === undefined) throw unknownCommand([first, ...(second === undefined ? [] : [second])]);
  return say(verbs, second === "--help" || second === "-h" ? 0 : exitCodeOf("VALIDATION_ERROR"));
}
