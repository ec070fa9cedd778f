/** Paths of a live session's files. Runner and clients must compute the same paths; nothing here changes the disk. */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** sun_path is 108 bytes on Linux and 104 on macOS, including the NUL. */
const MAX_SOCKET_PATH_BYTES = 103;

/** `/`, ten of the id's bytes, `.sock`, and room for the lock's longer suffix. */
const LONGEST_FILE_NAME_BYTES = 24;

/** Disk space that a runner reserves for its last screen, in the session's directory. */
export const RESERVE_FILE = "reserve";

export interface SessionDirectories {
  /** amux's own directory. */
  readonly home: string;
  /** From AMUX_SOCKET_DIR. */
  readonly socketDirectory?: string | undefined;
}

export interface SessionFiles {
  readonly directory: string;
  /** Written by the process that starts the session, read by its runner. */
  readonly launch: string;
  /** Written by the runner only. */
  readonly meta: string;
  readonly log: string;
  /** Its queue of prompts. Written by whoever holds the lock. */
  readonly queue: string;
  readonly socket: string;
  readonly lock: string;
}

export function sessionsDirectory(places: SessionDirectories): string {
  return join(places.home, "sessions");
}

/**
 * The directory of the sockets; a path too long for a socket address is replaced by a short private one in /tmp. Not the runtime
 * directory: logind deletes that at logout.
 */
export function socketDirectory(places: SessionDirectories): string {
  const wanted = places.socketDirectory ?? join(places.home, "sockets");
  const isShort = (path: string): boolean => Buffer.byteLength(path) + LONGEST_FILE_NAME_BYTES <= MAX_SOCKET_PATH_BYTES;
  // Uses the real path: every link to it must give the same result.
  const real = withoutLinks(wanted);
  if (isShort(real)) return isShort(wanted) ? wanted : real;
  return join("/tmp", `amux-${process.getuid?.() ?? 0}-${shortHash(real)}`);
}

/** Cached because a list asks for every session. */
const realNames = new Map<string, string>();

/** The real path of a place, even before it exists. */
export function withoutLinks(path: string): string {
  const known = realNames.get(path);
  if (known !== undefined) return known;
  const real = realName(path);
  realNames.set(path, real);
  return real;
}

function realName(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(realName(dirname(path)), basename(path));
  }
}

/** FNV-1a twice with different seeds: tells one user's few homes apart; not a secret. */
function shortHash(text: string): string {
  return [0x811c_9dc5, 0x0103_ca75]
    .map((start) => {
      let hash = start;
      for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x0100_0193) >>> 0;
      return hash.toString(16).padStart(8, "0");
    })
    .join("");
}

/** The id must have passed `isSessionId`. */
export function sessionFiles(places: SessionDirectories, id: string): SessionFiles {
  const directory = join(sessionsDirectory(places), id);
  const sockets = socketDirectory(places);
  return {
    directory,
    launch: join(directory, "launch.json"),
    meta: join(directory, "meta.json"),
    log: join(directory, "runner.log"),
    queue: join(directory, "queue.json"),
    socket: join(sockets, `${id}.sock`),
    lock: join(sockets, `${id}.lock`),
  };
}

/** The replayable record of one PTY: a painted screen and every byte since. */
export function recordFile(directory: string, ptyId: string): string {
  return join(directory, `${ptyId}.ansi`);
}
