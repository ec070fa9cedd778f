/** Session states. The words and their order are those of the status files. */

/** Most urgent first. */
export const STATES = ["permission", "waiting", "working", "error", "idle", "stopped", "done", "offline"] as const;
export type State = (typeof STATES)[number];

/** Undefined for an unknown word; other programs write these files too. */
export function stateFrom(word: unknown): State | undefined {
  return STATES.find((state) => state === word);
}

/** Lower is more urgent; an unknown word comes last. */
export function urgency(word: string): number {
  const index = (STATES as readonly string[]).indexOf(word);
  return index === -1 ? STATES.length : index;
}

/**
 * Where a status comes from, most trusted first. `agent` is the program itself: terminal sequences (OSC 7777, 7501), its title,
 * or its process file.
 */
export const SOURCES = ["hook", "agent", "transcript", "prompt", "process"] as const;
export type Source = (typeof SOURCES)[number];

/** Ask name for a sign-in request, which cannot be answered remotely. */
export const SIGN_IN_ASK = "sign-in";

/** Ask name for a choice on the screen before the agent's first turn. */
export const START_ASK = "start";

/** True for a question read from the screen: it stays open until it leaves the screen. */
export function isSeenAsk(ask: string | undefined): boolean {
  return ask === START_ASK || ask === SIGN_IN_ASK;
}

/** The two states in which an agent cannot continue without its user. */
export function isUrgent(state: string): boolean {
  return state === "permission" || state === "waiting";
}
