/** Messages of one channel, one after the other. A failed one is tried again a few times, unless it has become pointless. */
import type { Message } from "./message.ts";
import type { ServiceAnswer } from "./send-request.ts";

const TRY_AGAIN_AFTER_MS = [5000, 30_000, 120_000];
const LONGEST_WAIT_MS = 10 * 60_000;
/** More would be told to nobody's use. */
const MAX_WAITING = 32;

const GONE = new Set([404, 410]);

export interface DeliveryState {
  sentAt?: string;
  failedAt?: string;
  error?: string;
}

export interface DeliveryParts {
  send(message: Message): Promise<ServiceAnswer>;
  /** The service does not know the receiver any more. */
  onGone(): void;
  onFailure(error: string): void;
  tryAgainAfterMs?: readonly number[];
}

export class DeliveryQueue {
  readonly #parts: DeliveryParts;
  readonly #waits: readonly number[];
  readonly #waiting: Message[] = [];
  #isWorking = false;
  #wake: (() => void) | undefined;
  #isClosed = false;
  #state: DeliveryState = {};

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#waits = parts.tryAgainAfterMs ?? TRY_AGAIN_AFTER_MS;
  }

  get state(): DeliveryState {
    return this.#state;
  }

  add(message: Message): void {
    const unsent = this.#waiting.findIndex(({ tag }) => tag === message.tag);
    // The first one may be under way; then its withdrawal follows.
    if (message.event === "withdraw" && unsent > 0) this.#waiting.splice(unsent, 1);
    else this.#waiting.push(message);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.splice(1, 1);
    if (message.event === "withdraw" && unsent === 0) this.#wake?.();
    if (!this.#isWorking) void this.#work();
  }

  /** Once, without waiting for others. */
  async try(message: Message): Promise<string | undefined> {
    const failure = await this.#attempt(message);
    return failure?.error;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#wake?.();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let message = this.#waiting[0]; message !== undefined; message = this.#waiting[0]) {
      await this.#deliver(message);
      this.#waiting.shift();
    }
    this.#isWorking = false;
  }

  async #deliver(message: Message): Promise<void> {
    for (const wait of [...this.#waits, undefined]) {
      const failure = await this.#attempt(message);
      if (failure === undefined || this.#isClosed) return;
      if (wait === undefined || !failure.mayPass || this.#isPointless(message))
        return this.#parts.onFailure(failure.error);
      await this.#pause(Math.min(Math.max(wait, failure.retryAfterMs ?? 0), LONGEST_WAIT_MS));
      if (this.#isClosed || this.#isPointless(message)) return;
    }
  }

  /** What it is about is over, and nobody has been told. */
  #isPointless({ tag, event }: Message): boolean {
    return event === "send" && this.#waiting.some((other) => other.event === "withdraw" && other.tag === tag);
  }

  async #attempt(
    message: Message,
  ): Promise<{ error: string; mayPass: boolean; retryAfterMs?: number | undefined } | undefined> {
    const at = new Date().toISOString();
    try {
      const { status, retryAfterMs } = await this.#parts.send(message);
      if (status >= 200 && status < 300) {
        this.#state = { sentAt: at };
        return undefined;
      }
      if (GONE.has(status)) this.#parts.onGone();
      const error = `The service answered ${status}.`;
      this.#state = { ...this.#state, failedAt: at, error };
      return { error, mayPass: status === 429 || status >= 500, retryAfterMs };
    } catch (cause) {
      const error = cause instanceof Error ? cause.message : String(cause);
      this.#state = { ...this.#state, failedAt: at, error };
      return { error, mayPass: true };
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
