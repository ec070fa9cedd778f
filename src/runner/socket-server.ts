/**
 * The runner's socket: bound only when nobody alive answers there, readable by the owner only, bound again when
 * someone removes the file, or all of its directory, and removed at the end if it is still ours. The first byte of a connection tells the
 * protocol: a frame's length begins with 0, an HTTP request with a letter.
 */
import { existsSync, rmSync, statSync, watch, type FSWatcher } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { socketAnswers } from "../lib/process/socket-probe.ts";

/** Below it a byte cannot begin an HTTP request. */
const FIRST_PRINTABLE = 0x20;

/**
 * A client that knows only the published protocol may wait for the snapshot before it says a word. HTTP clients
 * speak at once, so after this long silence means frames.
 */
const SILENCE_MEANS_FRAMES_MS = 1000;

/** Whoever removes a whole directory may be about to remove the session's, too: then nothing is put back. */
const DIRECTORY_AFTER_MS = 1000;
const RETRY_AFTER_MS = 30_000;

/** The lock that lies beside the socket, and that both have a place to lie in. */
export interface SocketPlace {
  lock: string;
  /** Makes what is missing of it; false when nobody wants it any more. */
  restore(): boolean;
}

export interface ConnectionHandlers {
  /** Without `first`, which came already, the client waits to be spoken to. The socket is paused. */
  frames(socket: Socket, first: Buffer | undefined): void;
  http(socket: Socket): void;
}

export class SocketServer {
  private readonly path: string;
  private readonly handlers: ConnectionHandlers;
  private readonly onFailure: (error: unknown) => void;
  private readonly place: SocketPlace | undefined;
  private server: Server | undefined;
  private watchers: FSWatcher[] = [];
  private restoring: NodeJS.Timeout | undefined;
  private readonly sockets = new Set<Socket>();
  private inode = 0n;
  private closed = false;

  constructor(path: string, handlers: ConnectionHandlers, onFailure: (error: unknown) => void, place?: SocketPlace) {
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
      // The file is made in this call; no moment passes in which others could open it.
      const before = process.umask(0o177);
      server.listen(this.path, resolve);
      process.umask(before);
    });
    server.on("error", this.onFailure);
    this.server = server;
    this.inode = statSync(this.path, { bigint: true }).ino;
    this.watchFiles();
  }

  /** Whether somebody has removed the socket or the lock; told by the system, as far as it can. */
  look(): void {
    if (this.closed || this.restoring !== undefined || !this.isMissing()) return;
    if (existsSync(dirname(this.path))) this.restore();
    else this.restoreAfter(DIRECTORY_AFTER_MS);
  }

  /** No new connections; those that are open are finished by their owners. */
  close(): void {
    this.closed = true;
    clearTimeout(this.restoring);
    this.stopWatching();
    this.stopListening();
  }

  /** Waits until everything written has been taken, but not for ever. */
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
    // When we ourselves were late, the first bytes may be waiting: they get their turn before the verdict.
    const silence = setTimeout(() => setImmediate(() => decide(undefined)), SILENCE_MEANS_FRAMES_MS);
    let decided = false;
    const decide = (first: Buffer | undefined): void => {
      if (decided || socket.destroyed) return;
      decided = true;
      clearTimeout(silence);
      socket.off("data", decide);
      socket.pause();
      if (first === undefined || (first[0] ?? 0) < FIRST_PRINTABLE) return this.handlers.frames(socket, first);
      socket.unshift(first);
      this.handlers.http(socket);
    };
    socket.once("data", decide);
    socket.once("close", () => clearTimeout(silence));
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.once("close", () => this.sockets.delete(socket));
    // A client that goes away in the middle of anything is everyday business.
    socket.on("error", () => socket.destroy());
  }

  /** Told when one of them is unlinked; costs nothing until then. */
  private watchFiles(): void {
    this.stopWatching();
    for (const path of this.place === undefined ? [this.path] : [this.path, this.place.lock]) {
      try {
        const watcher = watch(path, { persistent: false }, () => this.look());
        watcher.on("error", () => watcher.close());
        this.watchers.push(watcher);
      } catch (error) {
        // Without a watch (too many of them on this machine) a removed file is noticed later; everything else works.
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
    this.restoreAfter(RETRY_AFTER_MS);
  }

  private stopListening(): void {
    // Closing removes the file by name, whosever it is by now.
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
