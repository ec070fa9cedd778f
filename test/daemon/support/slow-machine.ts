/**
 * A daemon's view of a simulated machine with delayed answers: the test decides which arrives next. A killed daemon gets none.
 */
import type { RunnerProcess, Runners, StoredMeta } from "../../../src/daemon/live/runners.ts";
import type { Subscription, SubscriptionListener } from "../../../src/daemon/live/subscription.ts";
import type { RunnerEvent } from "../../../src/protocol/runner-api.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

export class SlowMachine implements Runners {
  readonly #machine: SimulatedMachine;
  readonly #onItsWay: (() => void)[] = [];
  #isDead = false;

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
  }

  get waiting(): number {
    return this.#onItsWay.length;
  }

  /** The daemon was killed: its pending answers never arrive. */
  die(): void {
    this.#isDead = true;
    this.#onItsWay.length = 0;
  }

  /** Lets the nth pending answer arrive. */
  arrive(index: number): void {
    const [go] = this.#onItsWay.splice(index, 1);
    go?.();
  }

  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isDead) this.#onItsWay.push(resolve);
    });
  }

  async start(request: Parameters<SimulatedMachine["start"]>[0]): Promise<void> {
    await this.turn();
    this.#machine.start(request);
    await this.turn();
  }

  sockets(): string[] {
    return this.#machine.sockets();
  }

  withoutSocket(): string[] {
    return this.#machine.withoutSocket();
  }

  socketPath(id: string): string {
    return this.#machine.socketPath(id);
  }

  async answers(id: string): Promise<boolean> {
    await this.turn();
    return this.#machine.answers(id);
  }

  process(pid: number): RunnerProcess | undefined {
    return this.#machine.process(pid);
  }

  isRunning(process: RunnerProcess): boolean {
    return this.#machine.isRunning(process);
  }

  /** As over a socket: first the event stream, then the snapshot, which is taken before it arrives. */
  async subscribe(id: string, listener: SubscriptionListener): Promise<Subscription> {
    await this.turn();
    const runner = this.#machine.running.get(id);
    if (runner === undefined) throw new Error("refused");
    let early: RunnerEvent[] | undefined = [];
    let isOver = false;
    const inner: SubscriptionListener = {
      onMeta: () => undefined,
      onEvent: (event) => {
        if (this.#isDead) return;
        if (early === undefined) listener.onEvent(event);
        else early.push(structuredClone(event));
      },
      onEnd: () => {
        isOver = true;
        if (early === undefined && !this.#isDead) listener.onEnd();
      },
    };
    runner.listeners.add(inner);
    await this.turn();
    if (this.#machine.running.get(id) !== runner) throw new Error("hung up");
    const meta = structuredClone(runner.meta);
    await this.turn();
    if (isOver) throw new Error("hung up");
    const missed = early;
    early = undefined;
    listener.onMeta(meta);
    for (const event of missed) listener.onEvent(event);
    return { close: () => runner.listeners.delete(inner) };
  }

  storedVersion(): number {
    return this.#machine.storedVersion();
  }

  storedIds(): string[] {
    return this.#machine.storedIds();
  }

  sawEnd(id: string): void {
    this.#machine.sawEnd(id);
  }

  stored(id: string): StoredMeta | undefined {
    return this.#machine.stored(id);
  }

  async removeOrphans(): Promise<void> {
    await this.turn();
    await this.#machine.removeOrphans();
  }

  async kill(id: string): Promise<void> {
    await this.turn();
    await this.#machine.kill(id);
    await this.turn();
  }

  forget(id: string): void {
    if (this.#isDead) return;
    if (this.#machine.running.has(id)) throw new Error(`The directory of ${id}, which runs, is removed.`);
    this.#machine.forget(id);
  }

  restore(): boolean {
    return this.#machine.restore();
  }
}
