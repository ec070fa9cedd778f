/** The `amux` command: finds the verb and hands over to it. */
import { AgentMuxError } from "../core/errors.ts";
import type { CommandEntry } from "./commands.ts";
import { COMMANDS } from "./commands.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { invoke, reporting, wantsJson } from "./invoke.ts";

declare const AMUX_VERSION: string;

export async function main(argv: readonly string[]): Promise<number> {
  const [first] = argv;
  if (first === "--version" || first === "-V") {
    process.stdout.write(`${AMUX_VERSION}\n`);
    return 0;
  }
  if (first === undefined && process.stdin.isTTY && process.stdout.isTTY) return openInterface();
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    return reporting(wantsJson(argv), () => help(argv));
  }
  const found = find(argv);
  if (found === undefined) return reporting(wantsJson(argv), () => unknownCommand(argv));
  return invoke(found.entry.load, argv.slice(found.words));
}

async function help([first, ...words]: readonly string[]): Promise<number> {
  const [{ commandHelp }, { generalHelp }] = await Promise.all([import("./command-help.ts"), import("./help.ts")]);
  const asked = first === "help" ? find(words) : undefined;
  process.stdout.write(asked ? commandHelp((await asked.entry.load()).default) : generalHelp(AMUX_VERSION));
  return 0;
}

/** `amux` alone, on a terminal. */
async function openInterface(): Promise<never> {
  const exitCode = await reporting(false, async () => {
    const [{ tuiServices }, { runTui }] = await Promise.all([import("./tui-services.ts"), import("../tui/main.ts")]);
    return runTui(await tuiServices());
  });
  // What was still being read for its list must not hold the terminal back.
  process.exit(exitCode);
}

/** The entry whose words the arguments begin with. */
function find(argv: readonly string[]): { entry: CommandEntry; words: number } | undefined {
  for (const entry of COMMANDS) {
    const words = entry.name.split(" ");
    if (words.every((word, index) => argv[index] === word)) return { entry, words: words.length };
  }
  return undefined;
}

async function unknownCommand(argv: readonly string[]): Promise<number> {
  const group = COMMANDS.filter((entry) => entry.name.startsWith(`${argv[0]} `));
  if (group.length > 0 && (argv[1] === undefined || argv[1].startsWith("-"))) {
    const verbs = group.map((entry) => `  amux ${entry.name.padEnd(18)} ${entry.summary}`);
    process.stdout.write(
      `Usage: amux ${argv[0]} <command> [options]\n\n${verbs.join("\n")}\n\nSee amux ${argv[0]} <command> --help.\n`,
    );
    return argv[1] === undefined ? exitCodeOf("VALIDATION_ERROR") : 0;
  }
  const { nearest } = await import("./nearest.ts");
  const typed = group.length > 0 ? `${argv[0]} ${argv[1]}` : argv[0]!;
  const close = nearest(
    typed,
    (group.length > 0 ? group : COMMANDS).map((entry) => entry.name),
  );
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `There is no command "${typed}"${close === undefined ? "" : ` (did you mean "amux ${close}"?)`}. See amux --help.`,
  );
}
