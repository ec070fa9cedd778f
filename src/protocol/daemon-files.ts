/** Paths of the daemon's own files. Daemon and clients compute the same paths; nothing here changes the disk. */
import { join } from "node:path";
import { socketDirectory, withoutLinks } from "./session-files.ts";

export interface DaemonFiles {
  readonly socket: string;
  readonly lock: string;
  readonly token: string;
  readonly log: string;
  readonly projects: string;
  readonly peers: string;
  /** Channels for notifications. */
  readonly notify: string;
  /** Host names it answers to, one per line. */
  readonly hosts: string;
}

/** sun_path is 108 bytes on Linux and 104 on macOS, including the NUL. */
const MAX_SOCKET_PATH_BYTES = 103;

export function daemonFiles(home: string): DaemonFiles {
  return {
    socket: socketOf(home),
    lock: join(home, "amuxd.lock"),
    token: join(home, "auth-token"),
    log: join(home, "amuxd.log"),
    projects: join(home, "projects.json"),
    peers: join(home, "peers.json"),
    notify: join(home, "notify.json"),
    hosts: join(home, "daemon-hosts"),
  };
}

/** If home is too deep for a socket path, the sockets are elsewhere, the daemon's too. Uses the real path, as they do. */
function socketOf(home: string): string {
  const [named, real] = [home, withoutLinks(home)].map((path) => join(path, "amuxd.sock")) as [string, string];
  if (Buffer.byteLength(real) > MAX_SOCKET_PATH_BYTES) return join(socketDirectory({ home }), "amuxd.sock");
  return Buffer.byteLength(named) > MAX_SOCKET_PATH_BYTES ? real : named;
}
