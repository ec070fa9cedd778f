/** Terminals of a session in another process, through its socket. */
import { AgentMuxError } from "../core/errors.ts";
import type { PtyInfo } from "../protocol/frames.ts";
import type { CreatePty, PtyService, PtyWatch, PtyWatcher } from "../protocol/pty-service.ts";
import type { ShimConnection } from "./shim-connection.ts";
import { ShimWatch } from "./shim-watch.ts";

export class ShimPty implements PtyService {
  private readonly connection: ShimConnection;
  private readonly watches = new Set<ShimWatch>();

  constructor(connection: ShimConnection) {
    this.connection = connection;
  }

  create({ cols, rows, cwd, command }: CreatePty): Promise<string> {
    return this.connection.create({ cols, rows, cwd, ...(command === undefined ? {} : { command: [...command] }) });
  }

  list(): readonly PtyInfo[] {
    return this.connection.ptys();
  }

  watch(ptyId: string, watcher: PtyWatcher, since?: number): PtyWatch {
    this.check(ptyId);
    const watch = new ShimWatch(ptyId, watcher);
    this.watches.add(watch);
    // A session that has ended reports that on the control connection.
    watch.open(this.connection, since).catch(() => this.watches.delete(watch));
    return watch;
  }

  write(ptyId: string, data: string | Uint8Array): void {
    this.connection.input(ptyId, typeof data === "string" ? Buffer.from(data) : data);
  }

  destroy(ptyId: string): Promise<void> {
    const pty = this.check(ptyId);
    if (pty.exitCode !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const unsubscribe = this.connection.subscribe((event) => {
        const gone = event._tag === "closed" || (event._tag === "exit" && event.ptyId === ptyId);
        if (!gone) return;
        unsubscribe();
        resolve();
      });
      this.connection.send({ _tag: "destroy", ptyId });
    });
  }

  async close(): Promise<void> {
    for (const watch of this.watches) watch.stop();
    this.connection.close();
  }

  private check(ptyId: string): PtyInfo {
    const pty = this.connection.ptys().find((known) => known.ptyId === ptyId);
    if (pty === undefined) throw new AgentMuxError("PTY_NOT_AVAILABLE", `There is no terminal ${ptyId}.`);
    return pty;
  }
}
