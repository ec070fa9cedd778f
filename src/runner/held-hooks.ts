/**
 * Hooks whose agents wait for a decision. Each is held until it is decided, its question is over, or a viewer should see the
 * agent's own dialog.
 */
import type { ServerResponse } from "node:http";
import type { HookDecision } from "../core/hooks.ts";

/** A hook that misses a few of these knows that the runner is gone. */
const HEARTBEAT_MS = 2000;

export interface Question {
  /** Name of the question, if the agent gives enough to form one. */
  ask: string | undefined;
  scope: string | undefined;
  /** The agent shows its own dialog only after the hook has ended. */
  hidesDialog: boolean;
}

interface Held extends Question {
  response: ServerResponse;
  heartbeat: NodeJS.Timeout;
}

export class HeldHooks {
  private readonly held = new Set<Held>();
  private readonly onRelease: (question: Question) => void;

  /** `onRelease` is called for each hook that ends without a decision. */
  constructor(onRelease: (question: Question) => void) {
    this.onRelease = onRelease;
  }

  hold(question: Question, response: ServerResponse): void {
    // The end of the connection ends the answer: the hook parses it by hand.
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
    response.writeHead(200, { "content-type": "application/json" }).write("\n");
    const held: Held = {
      ...question,
      response,
      heartbeat: setInterval(() => response.write("\n"), HEARTBEAT_MS).unref(),
    };
    this.held.add(held);
    // The agent ended its hook: its user was faster.
    response.once("close", () => {
      if (this.remove(held)) this.onRelease(held);
    });
  }

  /** The decided question; undefined if no hook waits for it. */
  decide(decision: HookDecision, ask: string | undefined): Question | undefined {
    const found = [...this.held].find((held) => ask === undefined || held.ask === ask);
    if (found === undefined) return undefined;
    this.remove(found);
    found.response.end(`${JSON.stringify(decision)}\n`);
    return found;
  }

  /** Releases matching hooks without a decision. */
  release(fits: (question: Question) => boolean): void {
    for (const held of [...this.held].filter(fits)) {
      this.remove(held);
      held.response.end();
      this.onRelease(held);
    }
  }

  private remove(held: Held): boolean {
    clearInterval(held.heartbeat);
    return this.held.delete(held);
  }
}
