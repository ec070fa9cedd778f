/**
 * The seam to sessions in a terminal: `amux run <agent>` without a prompt, and `amux run -d`. They need a runner to hold
 * the terminal; until it is joined on here, both say so.
 */
import { AgentMuxError } from "../../core/errors.ts";
import { usageError } from "../command.ts";

export interface TerminalRun {
  agent: string | undefined;
  prompt: string | undefined;
  cwd: string;
  /** Start it and come back, instead of attaching to it. */
  detached: boolean;
}

export async function runInTerminal({ detached }: TerminalRun): Promise<number> {
  if (!detached) {
    throw usageError("amux run needs a prompt: as argument, with --prompt or --file, or on standard input.");
  }
  throw new AgentMuxError(
    "PTY_NOT_AVAILABLE",
    "amux run -d needs a background session, which this version cannot start yet. Leave -d away to wait for the run.",
  );
}
