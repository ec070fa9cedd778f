/**
 * The native half of node-pty. Its JavaScript half loses the end of the output when a program exits at once, delays the exit by
 * 200 ms, and spins when a program does not read. pty.ts replaces it.
 */
import { createRequire } from "node:module";

export interface NativePty {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

const KEEP_USER_ID = -1;

// The binaries are dependencies of node-pty, so they are resolved from there.
const load = createRequire(createRequire(import.meta.url).resolve("@lydell/node-pty/package.json"));
const binaries = `@lydell/node-pty-${process.platform}-${process.arch}`;

export const nativePty = load(`${binaries}/pty.node`) as NativePty;

/** macOS needs a helper program between fork and exec; elsewhere the path is ignored. */
export const spawnHelper = process.platform === "darwin" ? load.resolve(`${binaries}/spawn-helper`) : "";

export const CURRENT_USER = { uid: KEEP_USER_ID, gid: KEEP_USER_ID };
