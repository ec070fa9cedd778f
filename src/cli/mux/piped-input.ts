/**
 * Piped standard input for a session's program, through a named pipe, so that it reads the exact bytes and their end. Typed into
 * its terminal, they would be echoed, split into lines and taken for control keys.
 */
import { execFileSync } from "node:child_process";
import { constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { SpawnRequest } from "../../client/shim-client.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";

const PIPE_NAME = "input.pipe";

/** The shell that opens the pipe becomes the program. */
const WITH_INPUT = 'exec "$@" < "$0"';

/** Interval until the program's shell has opened its end. */
const POLL_MS = 5;

export class PipedInput {
  private readonly path: string;
  private timer: NodeJS.Timeout | undefined;
  private writer: Socket | undefined;

  /** Created in the session's directory. */
  constructor(directory: string) {
    this.path = join(directory, PIPE_NAME);
    ensurePrivateDirectory(directory);
    rmSync(this.path, { force: true });
    try {
      execFileSync("mkfifo", ["-m", "600", this.path], { stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      throw new AgentMuxError("SPAWN_ERROR", "This input cannot be passed to the command. Run it with < /dev/null.", {
        cause: error,
      });
    }
  }

  /** The command with this input. A later start of the session has none. */
  startOf({ argv, command }: SpawnRequest): string[] {
    return ["/bin/sh", "-c", WITH_INPUT, this.path, ...(argv ?? command)];
  }

  /** Copies the input from the program's start until all is written, the program closes it, or `end`. */
  give(): void {
    let fd: number;
    try {
      fd = openSync(this.path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      // The other end is not open yet.
      if (codeOf(error) === "ENXIO") this.timer = setTimeout(() => this.give(), POLL_MS);
      return;
    }
    rmSync(this.path, { force: true });
    this.writer = new Socket({ fd, readable: false, writable: true });
    this.writer.once("error", () => this.end());
    process.stdin.once("error", () => this.end());
    process.stdin.pipe(this.writer);
  }

  /** Must not keep this process from exiting. */
  end(): void {
    clearTimeout(this.timer);
    rmSync(this.path, { force: true });
    if (this.writer === undefined) return;
    process.stdin.unpipe(this.writer).destroy();
    this.writer.destroy();
  }
}
