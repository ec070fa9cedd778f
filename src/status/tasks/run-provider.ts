/** A program as task provider: arguments in its environment, JSON on its standard output. */
import { askProgram, ProgramFailed } from "../../lib/process/ask-program.ts";
import { externalEnv } from "../../lib/process/external-env.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import { readTaskList, type TaskList } from "./task-list.ts";
import { TaskError, type TaskErrorKind } from "./task-error.ts";

const TIMEOUT_MS = 30_000;

export interface ProviderCall {
  path: string;
  cwd: string;
  args: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

export async function runProvider(call: ProviderCall): Promise<TaskList> {
  const output = await outputOf(call);
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch (error) {
    throw new TaskError("parse", `${call.path} did not print JSON: ${oneLine((error as Error).message)}`, {
      cause: error,
    });
  }
  const list = readTaskList(value);
  if (list === undefined) throw new TaskError("parse", `${call.path} printed JSON without groups or tasks.`);
  return list;
}

async function outputOf({ path, cwd, args, timeoutMs = TIMEOUT_MS }: ProviderCall): Promise<string> {
  try {
    return await askProgram(path, { cwd, env: { ...externalEnv(), ...variables(args) }, timeoutMs });
  } catch (error) {
    if (error instanceof ProgramFailed) throw taskErrorOf(error);
    throw error;
  }
}

const KINDS: Record<ProgramFailed["kind"], TaskErrorKind> = {
  missing: "not_found",
  not_started: "exec",
  timeout: "timeout",
  endless: "parse",
  failed: "exec",
};

export function taskErrorOf(error: ProgramFailed): TaskError {
  const said = truncate(oneLine(error.stderr), 300);
  const message = said === "" ? error.message : `${error.message.replace(/\.$/, "")}: ${said}`;
  return new TaskError(KINDS[error.kind], message, { cause: error });
}

/** Under both names, so that providers written for the original work unchanged. */
function variables(args: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(args).map(
    ([name, value]) => [name.toUpperCase().replace(/[^A-Z0-9]/g, "_"), value] as const,
  );
  return Object.fromEntries(
    named.flatMap(([name, value]) => [
      [`AMUX_TASK_ARG_${name}`, value],
      [`NAVI_TASK_ARG_${name}`, value],
    ]),
  );
}
