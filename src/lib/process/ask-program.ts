/** Runs a program and collects its standard output, in a process group of its own, with limits on time and output. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { codeOf } from "../fs/directory.ts";
import { inputDeadline } from "./input-deadline.ts";

export interface ProgramCall {
  args?: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  /** For a program that reads files of others: one without end would take all memory. Not limited on Windows. */
  maxMemoryMb?: number;
  /** Ends the program early. */
  signal?: AbortSignal;
}

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 1000;
/** A backlog of a hundred thousand tasks fits, and any diff that somebody reads. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_STDERR = 2000;

export class ProgramFailed extends Error {
  readonly kind: "missing" | "not_started" | "timeout" | "endless" | "failed";
  /** The end of its standard error. */
  readonly stderr: string;
  /** Its standard output and exit code, if it ended by itself. */
  readonly stdout: string;
  readonly code: number | undefined;

  constructor(
    kind: ProgramFailed["kind"],
    message: string,
    options: { stderr?: string; stdout?: string; code?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ProgramFailed";
    this.kind = kind;
    this.stderr = options.stderr ?? "";
    this.stdout = options.stdout ?? "";
    this.code = options.code;
  }
}

export function askProgram(
  program: string,
  { args = [], cwd, env, timeoutMs, maxMemoryMb, signal: ending }: ProgramCall,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const notStarted = (error: unknown): void => {
      const kind = codeOf(error) === "ENOENT" ? "missing" : "not_started";
      reject(new ProgramFailed(kind, `${program} cannot be started (${codeOf(error)}).`, { cause: error }));
    };
    const [file, all] = maxMemoryMb === undefined ? [program, args] : withLimit(maxMemoryMb, program, args);
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      child = spawn(file, [...all], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    } catch (error) {
      // Too many arguments, or a NUL in one.
      return notStarted(error);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = "";
    let failure: ProgramFailed | undefined;
    let grace: NodeJS.Timeout | undefined;
    const stop = (error: ProgramFailed): void => {
      if (failure !== undefined) return;
      failure = error;
      signalGroup(child.pid, "SIGTERM");
      grace = setTimeout(() => {
        signalGroup(child.pid, "SIGKILL");
        // A descendant that left the group may keep the other ends open.
        child.stdout.destroy();
        child.stderr.destroy();
      }, GRACE_MS);
    };
    const cancel = inputDeadline(timeoutMs, () =>
      stop(new ProgramFailed("timeout", `${program} took longer than ${timeoutMs / 1000} s.`)),
    );
    const end = (): void => stop(new ProgramFailed("failed", `${program} was stopped.`));
    ending?.addEventListener("abort", end);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) stop(new ProgramFailed("endless", `${program} prints without end.`));
      else chunks.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-MAX_STDERR)));
    child.on("error", (error) => {
      cancel();
      notStarted(error);
    });
    child.on("close", (code, signal) => {
      cancel();
      clearTimeout(grace);
      ending?.removeEventListener("abort", end);
      const stdout = Buffer.concat(chunks).toString("utf8");
      if (failure !== undefined) reject(failure);
      else if (code === 0) resolve(stdout);
      else if (code === NOT_FOUND && maxMemoryMb !== undefined) notStarted({ code: "ENOENT" });
      else {
        const facts = { stderr, stdout, code: code ?? undefined };
        reject(new ProgramFailed("failed", `${program} ended with ${code ?? signal}.`, facts));
      }
    });
  });
}

/** The exit code of a shell. */
const NOT_FOUND = 127;

/** Node has no call for it. The limit is for memory of its own: mapped files do not count. */
function withLimit(megabytes: number, program: string, args: readonly string[]): [string, readonly string[]] {
  if (process.platform === "win32") return [program, args];
  const script = 'ulimit -d "$1" 2>/dev/null; shift; exec "$@"';
  return ["sh", ["-c", script, "sh", String(megabytes * 1024), program, ...args]];
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It ended by itself in the meantime.
  }
}
