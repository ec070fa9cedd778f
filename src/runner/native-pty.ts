/**
 * The native half of node-pty. Its JavaScript half is not used: it loses the end of the output when a program
 * exits at once, waits 200 ms before it tells of an exit, and spins the event loop while a program does not
 * read its input. pty.ts does these three things itself.
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

// The binaries are dependencies of node-pty, not ours, so they are looked up from there.
const load = createRequire(createRequire(import.meta.url).resolve("@lydell/node-pty/package.json"));
const binaries = `@lydell/node-pty-${process.platform}-${process.arch}`;

export const nativePty = load(`${binaries}/pty.node`) as NativePty;

/** macOS needs a small program between fork and exec; elsewhere the path is not looked at. */
export const spawnHelper = process.platform === "darwin" ? load.resolve(`${binaries}/spawn-helper`) : "";

export const CURRENT_USER = { uid: KEEP_USER_ID, gid: KEEP_USER_ID };
