/** Runs the built `amux` into a pipe whose reader decides when to read. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { AMUX, cliVars, type CommandPlace } from "./run-cli.ts";

export type PipedCommand = ChildProcessByStdio<null, Readable, null>;

export function pipedCommand(args: readonly string[], place: CommandPlace): PipedCommand {
  const child = spawn(process.execPath, [AMUX, ...args], { env: cliVars(place), stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Reads to the end. */
export async function linesOf({ stdout }: PipedCommand): Promise<string[]> {
  let text = "";
  for await (const chunk of stdout.setEncoding("utf8")) text += String(chunk);
  return text.split("\n");
}
