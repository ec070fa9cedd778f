/**
 * Hooks whose agents wait for a decision. Each is held until it is decided, until what it asked is over, or until
 * somebody comes to whom the agent should show its own dialog.
 */
import type { ServerResponse } from "node:http";
import type { HookDecision } from "../core/hooks.ts";

/** A hook that hears nothing for a few of these knows that nobody is there any more. */
const HEARTBEAT_MS = 2000;

export interface Question {
  /** Names what is asked, where the agent gives enough for a name. */
  ask: string | undefined;
  scope: string | undefined;
  /** The agent shows its own dialog only when the hook has ended. */
  hidesDialog: boolean;
}

interface Held extends Question {
  response: ServerResponse;
  heartbeat: NodeJS.Timeout;
}

export class HeldHooks {
  private readonly held = new Set<Held>();
  private readonly onRelease: (question: Question) => void;

  /** `onRelease` is told of each that ended without a decision. */
  constructor(onRelease: (question: Question) => void) {
    this.onRelease = onRelease;
  }

  hold(question: Question, response: ServerResponse): void {
    // The end of the connection is the end of the answer: the hook reads it by hand.
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
    response.writeHead(200, { "content-type": "application/json" }).write("\n");
    const held: Held = {
      ...question,
      response,
      heartbeat: setInterval(() => response.write("\n"), HEARTBEAT_MS).unref(),
    };
    this.held.add(held);
    // The agent has ended its hook: its user was faster.
    response.once("close", () => {
      if (this.remove(held)) this.onRelease(held);
    });
  }

  /** The question that was decided; undefined when no hook waits for that. */
  decide(decision: HookDecision, ask: string | undefined): Question | undefined {
    const found = [...this.held].find((held) => ask === undefined || held.ask === ask);
    if (found === undefined) return undefined;
    this.remove(found);
    found.response.end(`${JSON.stringify(decision)}\n`);
    return found;
  }

  /** Lets those go that fit, undecided. */
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
