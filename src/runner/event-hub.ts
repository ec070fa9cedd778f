/** Delivers events to every subscriber in order. One that throws does not affect the others. */
import type { RunnerEvent, RunnerEvents } from "../protocol/runner-api.ts";

export type Subscriber = (event: RunnerEvent) => void;

export class EventHub {
  private readonly subscribers = new Set<Subscriber>();
  private readonly onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.onFailure = onFailure;
  }

  /** Returns a function that ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    this.subscribers.add(subscriber);
    return () => this.subscribers.delete(subscriber);
  }

  emit<Name extends keyof RunnerEvents>(name: Name, data: RunnerEvents[Name]): void {
    const event = { name, data } as RunnerEvent;
    for (const subscriber of this.subscribers) {
      try {
        subscriber(event);
      } catch (error) {
        this.onFailure(error);
      }
    }
  }
}
