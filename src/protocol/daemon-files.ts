/** Where the daemon's own files lie. Daemon and clients compute the same paths; nothing here touches the disk. */
import { join } from "node:path";
import { socketDirectory } from "./session-files.ts";

export interface DaemonFiles {
  readonly socket: string;
  readonly lock: string;
  readonly token: string;
  readonly log: string;
  readonly projects: string;
  readonly peers: string;
}

/** sun_path is 108 bytes on Linux and 104 on macOS, with the closing NUL. */
const MAX_SOCKET_PATH_BYTES = 103;

export function daemonFiles(home: string): DaemonFiles {
  const socket = join(home, "amuxd.sock");
  return {
    // A home too deep for a socket has its sockets elsewhere; the daemon's joins them.
    socket: Buffer.byteLength(socket) <= MAX_SOCKET_PATH_BYTES ? socket : join(socketDirectory({ home }), "amuxd.sock"),
    lock: join(home, "amuxd.lock"),
    token: join(home, "auth-token"),
    log: join(home, "amuxd.log"),
    projects: join(home, "projects.json"),
    peers: join(home, "peers.json"),
  };
}
