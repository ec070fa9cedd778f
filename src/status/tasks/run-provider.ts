/** A provider that is a program: arguments in its environment, JSON on its standard output. */
import { spawn } from "node:child_process";
import { outsideEnv } from "../../lib/outside-env.ts";
import { codeOf } from "../../lib/directory.ts";
import { oneLine, truncate } from "../../lib/text.ts";
import { readTaskList, type TaskList } from "./task-list.ts";
import { TaskError } from "./task-error.ts";

const TIMEOUT_MS = 30_000;
/** Between asking a late program to end and ending it. */
const GRACE_MS = 1000;
/** A backlog of a hundred thousand tasks fits; what is longer is not one. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_STDERR = 2000;

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

function outputOf({ path, cwd, args, timeoutMs = TIMEOUT_MS }: ProviderCall): Promise<string> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what it starts ends with it.
    const child = spawn(path, [], {
      cwd,
      env: { ...outsideEnv(), ...variables(args) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = "";
    let failure: TaskError | undefined;
    const stop = (error: TaskError): void => {
      failure ??= error;
      signal(child.pid, "SIGTERM");
      setTimeout(() => signal(child.pid, "SIGKILL"), GRACE_MS).unref();
    };
    const timer = setTimeout(
      () => stop(new TaskError("timeout", `${path} took longer than ${timeoutMs / 1000} s.`)),
      timeoutMs,
    );
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) stop(new TaskError("parse", `${path} prints without end.`));
      else chunks.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-MAX_STDERR)));
    child.on("error", (error) => {
      clearTimeout(timer);
      const missing = codeOf(error) === "ENOENT";
      reject(
        new TaskError(missing ? "not_found" : "exec", `${path} cannot be started (${codeOf(error)}).`, {
          cause: error,
        }),
      );
    });
    child.on("close", (code, ended) => {
      clearTimeout(timer);
      if (failure !== undefined) reject(failure);
      else if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
      else reject(new TaskError("exec", `${path} ended with ${code ?? ended}${reason(stderr)}`));
    });
  });
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

function reason(stderr: string): string {
  const text = truncate(oneLine(stderr), 300);
  return text === "" ? "." : `: ${text}`;
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It ended by itself in the meantime.
  }
}
