/** A connection between two machines that can be cut, slowed, frozen and half closed. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
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

  /** Breaks all connections and refuses new ones. */
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

  /** Keeps connections open, but nothing passes. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Everything arrives later. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Both sides see the end of the other's data, but neither connection is cut. */
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

  /** Keeps the order: no chunk overtakes an earlier one. */
  #carry(from: Socket, to: Socket): void {
    let last = Promise.resolve();
    const inTurn = (act: () => void): void => {
      const before = last;
      last = setTimeout(this.#delayMs)
        .then(() => before)
        .then(act);
    };
    from.on("data", (data) => {
      if (!this.#isFrozen) inTurn(() => void (to.destroyed || to.write(data)));
    });
    from.on("end", () => inTurn(() => to.end()));
  }
}
