/** A session's title: the user's name, the agent's title, the terminal's title, the command typed, or the program. */
import { basename } from "node:path";

const MAX_COMMAND = 200;

export interface Titled {
  name?: string | undefined;
  adapter_title?: string | undefined;
  shell_title?: string | undefined;
  command: readonly string[];
  kind: string;
}

export function sessionTitle({ name, adapter_title, shell_title, command, kind }: Titled): string {
  return name || adapter_title || shell_title || commandTitle(command) || kind;
}

/** `pytest -x` from `["/usr/bin/pytest", "-x"]`. */
function commandTitle([program = "", ...args]: readonly string[]): string {
  return [basename(program), ...args].join(" ").slice(0, MAX_COMMAND);
}
