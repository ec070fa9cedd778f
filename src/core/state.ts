/** What a session can be doing. The words and their order are those of the status files. */

/** Most urgent first. */
export const STATES = ["permission", "waiting", "working", "error", "idle", "stopped", "done", "offline"] as const;
export type State = (typeof STATES)[number];

/** Undefined for a word that is none of ours; other programs write these files too. */
export function stateFrom(word: unknown): State | undefined {
  return STATES.find((state) => state === word);
}

/** Lower is more urgent; an unknown word comes last. */
export function urgency(word: string): number {
  const index = (STATES as readonly string[]).indexOf(word);
  return index === -1 ? STATES.length : index;
}

/**
 * Who said what a session is doing, most trusted first. `agent` is what the program itself tells: through the terminal
 * (OSC 7777, 7501), its title, or a file about its processes.
 */
export const SOURCES = ["hook", "agent", "transcript", "prompt", "process"] as const;
export type Source = (typeof SOURCES)[number];

/** The name of what an agent asks when somebody has to sign in: nothing that could be answered from elsewhere. */
export const SIGN_IN_ASK = "sign-in";

/** The name of a choice that is seen on the screen before an agent's first turn. */
export const START_ASK = "start";

/** Seen on the screen by who holds it: it stands until it is seen to be gone. */
export function isSeenAsk(ask: string | undefined): boolean {
  return ask === START_ASK || ask === SIGN_IN_ASK;
}

/** The two states in which an agent cannot go on without its user. */
export function isUrgent(state: string): boolean {
  return state === "permission" || state === "waiting";
}
