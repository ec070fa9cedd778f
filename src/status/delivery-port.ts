import type { TerminalOperator } from "./terminal-operator.ts";
import type { Choice } from "./shown-choice.ts";
import type { QuestionState } from "./current-question.ts";

/** A session from a sender's point of view. */
export interface DeliveryPort extends TerminalOperator {
  /** Undefined if its state is unknown; null if its program has ended. */
  standing(): Promise<QuestionState | undefined | null> | QuestionState | undefined | null;
  /** Passes a decision to a waiting hook. False if none waits. */
  decide?(behavior: "allow" | "deny", message: string | undefined, ask: string | undefined): boolean;
  /** An agent runs in it, which shows what it has accepted. */
  isAgent(): boolean;
  /** The program shows that it still starts; absent if it never does. */
  isStarting?(): boolean;
  /** Id of the question with this choice on the screen; undefined if questions have no ids. */
  asked?(choice: Choice | undefined): string | undefined;
}
