/** A wire between two machines that can be cut, slowed, frozen and closed on one side. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

interface Pair {
  near: Socket;
  far: Socket;
}

export class LinkProxy {
  readonly #target: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #isCut = false;
  #isFrozen = false;
  #delayMs = 0;

  constructor(target: number) {
    this.#target = target;
    this.#server = createServer((near) => this.#join(near));
    onTestFinished(() => {
      this.cut();
      this.#server.close();
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Everything that is open breaks, and nothing new is let through. */
  cut(): void {
    this.#isCut = true;
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
  }

  mend(): void {
    this.#isCut = false;
    this.#isFrozen = false;
  }

  /** Connections stay open, and nothing comes through any more. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Everything arrives, but later. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** The far side is told that nothing more will come, and the other way round; neither is cut off. */
  halfClose(): void {
    for (const { near, far } of this.#pairs) {
      near.end();
      far.end();
    }
  }

  #join(near: Socket): void {
    if (this.#isCut) return void near.destroy();
    const far = connect({ port: this.#target, host: "127.0.0.1", allowHalfOpen: true });
    const pair = { near, far };
    this.#pairs.add(pair);
    this.#carry(near, far);
    this.#carry(far, near);
    for (const socket of [near, far]) {
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.#pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
  }

  /** In order: a later piece is never sent before an earlier one. */
  #carry(from: Socket, to: Socket): void {
    from.on("data", (data) => {
      if (this.#isFrozen) return;
      if (this.#delayMs === 0) to.write(data);
      else setTimeout(() => void (to.destroyed || to.write(data)), this.#delayMs);
    });
    from.on("end", () => setTimeout(() => to.end(), this.#delayMs));
  }
}
