/** Event handlers by event type. */
import type { AgentEvent, AgentEventOf, AgentEventType } from "../core/agent-event.ts";

type Handler = (event: never) => void;

export class EventHandlers {
  readonly #byType = new Map<AgentEventType, Map<Handler, { once: boolean }>>();

  add<Type extends AgentEventType>(type: Type, handler: (event: AgentEventOf<Type>) => void, once: boolean): void {
    const handlers = this.#byType.get(type) ?? new Map<Handler, { once: boolean }>();
    this.#byType.set(type, handlers.set(handler, { once }));
  }

  remove(type: AgentEventType, handler: Handler): void {
    this.#byType.get(type)?.delete(handler);
  }

  /** Returns what the handlers threw: a caller's mistake must not end the run. */
  call(event: AgentEvent): Error[] {
    const errors: Error[] = [];
    // A map may lose the current entry during iteration.
    for (const [handler, { once }] of this.#byType.get(event.type) ?? []) {
      if (once) this.remove(event.type, handler);
      try {
        handler(event as never);
      } catch (error) {
        errors.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
    return errors;
  }
}
