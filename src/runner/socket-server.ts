/**
 * The runner's socket: private to its owner, bound again if removed, and deleted at the end if still ours. A connection's first
 * byte tells the protocol: 0 for frames, a letter for HTTP.
 */
import { existsSync, rmSync, statSync, watch, type FSWatcher } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { inputDeadline } from "../lib/process/input-deadline.ts";
import { socketAnswers } from "../lib/process/socket-probe.ts";

/** A lower byte cannot begin an HTTP request. */
const FIRST_PRINTABLE = 0x20;

/**
 * An older client may wait for the snapshot before it sends anything. HTTP clients send at once, which takes one on a busy
 * machine more than a second; silence this long means frames.
 */
const SILENCE_MEANS_FRAMES_MS = 5000;

/** If a whole directory is removed, the session's may be next: then nothing is restored. */
const DIRECTORY_AFTER_MS = 1000;
/** The wait after each failure in a row is twice as long. A removal that was still going on is over soon. */
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;

/** The lock beside the socket, and the directory of both. */
export interface SocketPaths {
  lock: string;
  /** Restores what is missing; false if it is no longer wanted. */
  restore(): boolean;
}

export interface ConnectionHandlers {
  /** Without `first`, the bytes already read, the client waits for us. The socket is paused. */
  frames(socket: Socket, first: Buffer | undefined): void;
  http(socket: Socket): void;
}

export class SocketServer {
  private readonly path: string;
  private readonly handlers: ConnectionHandlers;
  private readonly onFailure: (error: unknown) => void;
  private readonly place: SocketPaths | undefined;
  private server: Server | undefined;
  private watchers: FSWatcher[] = [];
  private restoring: NodeJS.Timeout | undefined;
  private readonly sockets = new Set<Socket>();
  private inode = 0n;
  private retryMs = FIRST_RETRY_MS;
  private closed = false;

  constructor(path: string, handlers: ConnectionHandlers, onFailure: (error: unknown) => void, place?: SocketPaths) {
    this.path = path;
    this.handlers = handlers;
    this.onFailure = onFailure;
    this.place = place;
  }

  async listen(): Promise<void> {
    if (await socketAnswers(this.path)) throw new Error(`Another process answers at ${this.path}.`);
    rmSync(this.path, { force: true });
    const server = createServer((socket) => this.accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      // The umask makes the socket private from the moment it is created.
      const before = process.umask(0o177);
      server.listen(this.path, resolve);
      process.umask(before);
    });
    server.on("error", this.onFailure);
    this.server = server;
    this.inode = statSync(this.path, { bigint: true }).ino;
    this.retryMs = FIRST_RETRY_MS;
    this.watchFiles();
  }

  /** Checks whether the socket or the lock was removed; called on file system events. */
  look(): void {
    if (this.closed || this.restoring !== undefined || !this.isMissing()) return;
    if (existsSync(dirname(this.path))) this.restore();
    else this.restoreAfter(DIRECTORY_AFTER_MS);
  }

  /** No new connections; open ones are finished by their owners. */
  close(): void {
    this.closed = true;
    clearTimeout(this.restoring);
    this.stopWatching();
    this.stopListening();
  }

  /** Waits until all output is taken, up to a limit. */
  async flushed(withinMs: number): Promise<void> {
    const open = [...this.sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, withinMs)));
    for (const socket of this.sockets) socket.end();
    await Promise.race([Promise.all(open), late]);
    clearTimeout(timer);
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(socket: Socket): void {
    this.keep(socket);
    const cancel = inputDeadline(SILENCE_MEANS_FRAMES_MS, () => decide(undefined));
    let decided = false;
    const decide = (first: Buffer | undefined): void => {
      if (decided || socket.destroyed) return;
      decided = true;
      cancel();
      socket.off("data", decide);
      socket.pause();
      if (first === undefined || (first[0] ?? 0) < FIRST_PRINTABLE) return this.handlers.frames(socket, first);
      socket.unshift(first);
      this.handlers.http(socket);
    };
    socket.once("data", decide);
    socket.once("close", cancel);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.once("close", () => this.sockets.delete(socket));
    // Clients disconnect at any time.
    socket.on("error", () => socket.destroy());
  }

  /** Notices when one of them is unlinked; free until then. */
  private watchFiles(): void {
    this.stopWatching();
    for (const path of this.place === undefined ? [this.path] : [this.path, this.place.lock]) {
      try {
        const watcher = watch(path, { persistent: false }, () => this.look());
        watcher.on("error", () => watcher.close());
        this.watchers.push(watcher);
      } catch (error) {
        // Without a watch (too many on this machine) a removed file is noticed later; everything else works.
        this.onFailure(error);
      }
    }
  }

  private stopWatching(): void {
    for (const watcher of this.watchers) watcher.close();
    this.watchers = [];
  }

  private isMissing(): boolean {
    return this.isOurs() === "gone" || (this.place !== undefined && !existsSync(this.place.lock));
  }

  private restore(): void {
    this.restoring = undefined;
    if (this.closed || !this.isMissing()) return;
    try {
      if (this.place?.restore() === false) return;
      if (this.isOurs() !== "gone") return this.watchFiles();
    } catch (error) {
      return this.failed(error);
    }
    this.stopListening();
    this.listen().catch((error: unknown) => this.failed(error));
  }

  private restoreAfter(ms: number): void {
    this.restoring = setTimeout(() => this.restore(), ms).unref();
  }

  private failed(error: unknown): void {
    this.onFailure(error);
    this.restoreAfter(this.retryMs);
    this.retryMs = Math.min(2 * this.retryMs, LAST_RETRY_MS);
  }

  private stopListening(): void {
    // Closing unlinks the path, even if it is another process's socket by now.
    if (this.isOurs() === "another's") this.server?.unref();
    else this.server?.close();
    this.server = undefined;
  }

  private isOurs(): "ours" | "another's" | "gone" {
    const stat = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return "gone";
    return stat.ino === this.inode ? "ours" : "another's";
  }
}
