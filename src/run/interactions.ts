/** Questions of an agent that are not answered yet. */
import { AgentMuxError } from "../core/errors.ts";
import type { AgentEvent } from "../core/agent-event.ts";
import type { InteractionAnswer, PendingInteraction } from "../core/run-result.ts";

type Asking = Extract<AgentEvent, { type: "approval_request" | "input_required" }>;

export class InteractionChannel {
  readonly #pending = new Map<string, PendingInteraction>();
  readonly #listeners = new Set<(interaction: PendingInteraction) => void>();
  readonly #deliver: (id: string, answer: InteractionAnswer) => void;

  /** `deliver` sends an answer to the agent. */
  constructor(deliver: (id: string, answer: InteractionAnswer) => void) {
    this.#deliver = deliver;
  }

  get pending(): PendingInteraction[] {
    return [...this.#pending.values()];
  }

  onPending(listener: (interaction: PendingInteraction) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  respond(id: string, answer: InteractionAnswer): void {
    if (!this.#pending.delete(id)) {
      throw new AgentMuxError("NO_PENDING_INTERACTION", `Nothing with the id ${id} waits for an answer.`);
    }
    this.#deliver(id, answer);
  }

  /** Answers the oldest question. */
  respondToFirst(type: PendingInteraction["type"], answer: InteractionAnswer): void {
    const first = this.pending.find((interaction) => interaction.type === type);
    if (!first) throw new AgentMuxError("NO_PENDING_INTERACTION", `The agent waits for no ${type} now.`);
    this.respond(first.id, answer);
  }

  approveAll(): void {
    for (const { id, type } of this.pending) if (type === "approval") this.respond(id, { type: "approve" });
  }

  denyAll(reason?: string): void {
    for (const { id, type } of this.pending) {
      if (type === "approval") this.respond(id, { type: "deny", ...(reason === undefined ? {} : { reason }) });
    }
  }

  /** Returns what the listeners threw: a caller's mistake must not end the run. */
  add(event: Asking): Error[] {
    const interaction = interactionOf(event);
    const errors: Error[] = [];
    this.#pending.set(interaction.id, interaction);
    for (const listener of this.#listeners) {
      try {
        listener(interaction);
      } catch (error) {
        errors.push(error as Error);
      }
    }
    return errors;
  }

  /** The agent is gone: nothing waits any more. */
  clear(): void {
    this.#pending.clear();
  }
}

function interactionOf(event: Asking): PendingInteraction {
  const base = { id: event.interactionId, runId: event.runId, createdAt: event.timestamp };
  if (event.type === "input_required") {
    const { question, context, source } = event;
    const detail = { kind: "input" as const, question, source, ...(context === undefined ? {} : { context }) };
    return { ...base, type: "input", description: question, detail };
  }
  const { action, toolName, riskLevel } = event;
  const detail = { kind: "approval" as const, action, riskLevel, ...(toolName === undefined ? {} : { toolName }) };
  return { ...base, type: "approval", description: `${action}: ${event.detail}`, detail };
}
