/** Runs one command from its arguments to its exit code; errors become one line and a code. */
import { AgentMuxError } from "../core/errors.ts";
import { visibleControls } from "../core/visible-text.ts";
import { errorText, isProgramReplaced } from "../lib/text/error-text.ts";
import { printableJson } from "../lib/text/text.ts";
import type { Command } from "./command.ts";
import { exitCodeOf } from "./exit-codes.ts";

/** `argv` is what follows the command's own words. */
export async function invoke(load: () => Promise<{ default: Command }>, argv: readonly string[]): Promise<number> {
  const json = wantsJson(argv);
  return reporting(json, async () => {
    const [{ default: command }, { parseInvocation }, { Output }] = await Promise.all([
      load(),
      import("./command.ts"),
      import("./output.ts"),
    ]);
    const output = new Output(json);
    const invocation = parseInvocation(command, argv, output);
    if (invocation.flag("help")) {
      const { commandHelp, helpWidth } = await import("./command-help.ts");
      await output.write(commandHelp(command, helpWidth(output.width)));
      return 0;
    }
    return (await command.run(invocation)) ?? 0;
  });
}

/** Prints an error and returns its exit code. */
export async function reporting(json: boolean, act: () => Promise<number>): Promise<number> {
  try {
    return await act();
  } catch (error) {
    return report(error, json);
  }
}

const CWD_GONE = new AgentMuxError(
  "VALIDATION_ERROR",
  "The working directory no longer exists. Change to another one first.",
);

function isCwdGone(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === "uv_cwd";
}

/** A full disk or a missing permission: a stack trace helps nobody. */
function isSystemError(error: unknown): boolean {
  const { syscall, errno } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall !== undefined && errno !== undefined;
}

/** Arguments after -- belong to another command. */
export function wantsJson(argv: readonly string[]): boolean {
  const dashes = argv.indexOf("--");
  return (dashes === -1 ? argv : argv.slice(0, dashes)).includes("--json");
}

function report(thrown: unknown, json: boolean): number {
  const error = isCwdGone(thrown) ? CWD_GONE : thrown;
  const known = error instanceof AgentMuxError;
  const code = known ? error.code : "INTERNAL";
  const message = errorText(error);
  const shown = visibleControls(message);
  if (json) {
    const failure = { ok: false, error: { code, message, recoverable: known && error.recoverable } };
    // Standard output itself may be what fails.
    process.stdout.on("error", () => process.stderr.write(`amux: ${shown}\n`));
    process.stdout.write(`${printableJson(JSON.stringify(failure))}\n`);
  } else {
    process.stderr.write(`amux: ${shown}\n`);
    if (!(known || isSystemError(error) || isProgramReplaced(error)) || process.env["DEBUG"] === "amux")
      process.stderr.write(`${error instanceof Error ? visibleControls(error.stack ?? "") : ""}\n`);
  }
  return exitCodeOf(code);
}
