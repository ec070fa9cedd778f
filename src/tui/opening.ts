/**
 * Opening a session. Until it responds the current view stays; what is typed is meant for the session, so it waits. A slow one is
 * reported. The last request wins.
 */
import type { InputEvent } from "./input/input-event.ts";
import { nameOf } from "./input/key.ts";
import { LATE_AFTER_MS } from "./panes/pane.ts";
import type { Workbench } from "./workbench/workbench.ts";

/** Nobody types more keys and pastes meanwhile. */
const MAX_TYPED = 1000;

export class Opening {
  private readonly say: (text: string) => void;
  private turn = 0;
  /** Undefined while nothing opens. */
  private typed: InputEvent[] | undefined;
  private sayLate: (() => void) | undefined;

  constructor(say: (text: string) => void) {
    this.say = say;
  }

  /** Undefined if another view was requested meanwhile. */
  async open(name: string, connect: () => Promise<Workbench>): Promise<Workbench | undefined> {
    this.stop();
    const { turn } = this;
    this.typed = [];
    const late = setTimeout(
      () => {
        if (turn !== this.turn) return;
        this.sayLate = () => this.say(`${name} has not answered yet: it is busy or stopped. Esc stops waiting.`);
        this.sayLate();
      },
      // One delay for the connection, one for the screens.
      2 * LATE_AFTER_MS,
    );
    try {
      const workbench = await connect();
      if (turn === this.turn) return workbench;
      workbench.close();
      return undefined;
    } catch (error) {
      if (turn === this.turn) this.stop();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Another view was requested: what was typed is dropped. */
  stop(): void {
    this.turn++;
    this.typed = undefined;
    this.sayLate = undefined;
  }

  /** Ends the opening with what was typed meanwhile. */
  finish(): readonly InputEvent[] {
    const { typed = [] } = this;
    this.stop();
    return typed;
  }

  /** Whether the event waits for the session. */
  keeps(event: InputEvent): boolean {
    if (this.typed === undefined || (event.type !== "key" && event.type !== "paste")) return false;
    if (this.sayLate !== undefined && event.type === "key" && nameOf(event.key) === "esc") {
      this.stop();
      this.say("Stopped waiting.");
      return true;
    }
    this.sayLate?.();
    if (this.typed.length < MAX_TYPED) this.typed.push(event);
    return true;
  }
}
