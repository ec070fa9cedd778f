import type { Hands } from "./terminal-operator.ts";
import type { Choice } from "./shown-choice.ts";
import type { Standing } from "./current-question.ts";

/** A session as somebody who speaks to it needs it. */
export interface SpeakingPort extends Hands {
  /** Undefined when nothing is known of what it is doing; null when its program has ended. */
  standing(): Promise<Standing | undefined | null> | Standing | undefined | null;
  /** Hands a decision to a hook that waits for it. False when none does. */
  decide?(behavior: "allow" | "deny", message: string | undefined, ask: string | undefined): boolean;
  /** An agent is in it, which tells when it has taken something. */
  isAgent(): boolean;
  /** Names what is asked, with this choice on the screen; undefined where questions have no names. */
  asked?(choice: Choice | undefined): string | undefined;
}
