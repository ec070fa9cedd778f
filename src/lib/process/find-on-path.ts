/** The file a command name would run, without asking a shell. */
import { AgentMuxError } from "../../core/errors.ts";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

export function findOnPath(command: string, vars: Readonly<Record<string, string | undefined>>): string | undefined {
  if (isAbsolute(command)) return isExecutable(command) ? command : undefined;
  for (const directory of (vars["PATH"] ?? "").split(delimiter)) {
    if (directory === "") continue;
    const path = join(directory, command);
    if (isExecutable(path)) return path;
  }
  return undefined;
}

/** Throws if a command that is a name, not a path, would run nothing. */
export function requireOnPath(command: string, vars: Readonly<Record<string, string | undefined>>): void {
  if (command.includes("/") || findOnPath(command, vars) !== undefined) return;
  throw new AgentMuxError("COMMAND_NOT_FOUND", `Command not found: ${command}.`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing, or not executable for us.
    return false;
  }
}
