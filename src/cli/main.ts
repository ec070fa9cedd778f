/** The `amux` command: finds the verb, loads it, turns errors into one line and an exit code. */
import { AgentMuxError } from "../core/errors.ts";
import type { CommandEntry } from "./commands.ts";
import { COMMANDS } from "./commands.ts";
import { exitCodeOf } from "./exit-codes.ts";

declare const AMUX_VERSION: string;

export async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === "--version" || argv[0] === "-V") {
    process.stdout.write(`${AMUX_VERSION}\n`);
    return 0;
  }
  // What follows -- belongs to somebody else's command.
  const dashes = argv.indexOf("--");
  const json = (dashes === -1 ? argv : argv.slice(0, dashes)).includes("--json");
  try {
    return await dispatch(argv, json);
  } catch (error) {
    return report(error, json);
  }
}

async function dispatch(argv: readonly string[], json: boolean): Promise<number> {
  const [first] = argv;
  if (first === undefined && process.stdin.isTTY && process.stdout.isTTY) return openInterface();
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    const { commandHelp, generalHelp } = await import("./help.ts");
    const asked = first === "help" ? find(argv.slice(1)) : undefined;
    process.stdout.write(asked ? commandHelp((await asked.entry.load()).default) : generalHelp(AMUX_VERSION));
    return 0;
  }
  const found = find(argv);
  if (!found) return unknownCommand(argv);
  const [{ default: command }, { parseInvocation }, { Output }] = await Promise.all([
    found.entry.load(),
    import("./command.ts"),
    import("./output.ts"),
  ]);
  const invocation = parseInvocation(command, argv.slice(found.words), new Output(json));
  if (invocation.flag("help")) {
    const { commandHelp } = await import("./help.ts");
    process.stdout.write(commandHelp(command));
    return 0;
  }
  return (await command.run(invocation)) ?? 0;
}

/** `amux` alone, on a terminal. */
async function openInterface(): Promise<never> {
  let exitCode: number;
  try {
    const [{ tuiServices }, { runTui }] = await Promise.all([import("./tui-services.ts"), import("../tui/main.ts")]);
    exitCode = await runTui(await tuiServices());
  } catch (error) {
    exitCode = report(error, false);
  }
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

function report(error: unknown, json: boolean): number {
  const known = error instanceof AgentMuxError;
  const code = known ? error.code : "INTERNAL";
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    const failure = { ok: false, error: { code, message, recoverable: known && error.recoverable } };
    process.stdout.write(`${JSON.stringify(failure)}\n`);
  } else {
    process.stderr.write(`amux: ${message}\n`);
    if (!known || process.env["DEBUG"] === "amux")
      process.stderr.write(`${error instanceof Error ? error.stack : ""}\n`);
  }
  return exitCodeOf(code);
}
