/** Every event of a run passes here: it gets an id and a time, is counted, buffered for readers and passed to handlers. */
import type { AgentEvent, EventBody } from "../core/agent-event.ts";
import { EventHandlers } from "./event-handlers.ts";
import { EventLog } from "./event-log.ts";
import { RunFacts } from "./run-facts.ts";
import type { RunPlan } from "./run-plan.ts";

export class EventHub {
  readonly facts = new RunFacts();
  readonly handlers = new EventHandlers();
  readonly log: EventLog;
  /** All events, if the caller requested them. */
  readonly collected: AgentEvent[] = [];
  /** Readers are too far behind, or have caught up. */
  onFull: (isFull: boolean) => void = () => undefined;
  /** Called after all other recipients. */
  onEvent: (event: AgentEvent) => void = () => undefined;
  readonly #plan: RunPlan;

  constructor(plan: RunPlan) {
    this.#plan = plan;
    this.facts.model = plan.options.model;
    this.log = new EventLog(
      (isFull) => this.onFull(isFull),
      (lost) =>
        this.#stamp({ type: "debug", level: "warning", message: `The first ${lost} events are no longer available.` }),
    );
  }

  emit(body: EventBody): void {
    const event = this.#stamp(body);
    this.facts.see(event);
    if (this.#plan.options.collectEvents === true) this.collected.push(event);
    this.log.push(event);
    for (const error of this.handlers.call(event)) {
      // Not while reporting such an error, or a handler that always throws would loop forever.
      if (event.type !== "debug") this.warn(`A handler threw: ${error.message}`);
    }
    this.onEvent(event);
  }

  warn(message: string): void {
    this.emit({ type: "debug", level: "warning", message });
  }

  #stamp(body: EventBody): AgentEvent {
    const { runId, agent } = this.#plan;
    return { ...body, runId, agent, timestamp: Date.now() } as AgentEvent;
  }
}
