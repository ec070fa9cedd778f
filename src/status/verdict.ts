/**
 * What the evidence amounts to at a moment. The most trusted source is believed; a less trusted one only when it spoke
 * later, says something the other cannot mean, and stands by it for a while. So no state outlives its cause: a turn
 * that was cancelled without a hook, a dialog that was answered, an agent that crashed.
 */
import { isUrgent, SOURCES, type Source, type State } from "../core/state.ts";
import { optional } from "../lib/values/optional.ts";
import { GRACE_MS, HOOK_LAG_MS, type Ask, type Evidence, type Said } from "./evidence.ts";

export interface Verdict {
  state: State;
  label?: string;
  message?: string;
  /** Since when, in milliseconds since the epoch. */
  since: number;
  /** What it rests on. */
  by: Said;
  /** Names the question and what it offers, where its runner tells. */
  asked?: string;
  /** More trusted words that were overruled because they are older. */
  overruled: Said[];
  /** When the verdict may change although nobody says anything. */
  settlesAt?: number;
}

/** Undefined when nobody has said anything. */
export function judge(evidence: Evidence, now: number): Verdict | undefined {
  const { process } = evidence.said;
  if (process?.state === "offline") return verdict(process, [], []);
  const pending: number[] = [];
  const overruled: Said[] = [];
  let believed: Said | undefined;
  for (const source of SOURCES) {
    const word = source === "hook" ? hookWord(evidence, now, pending) : evidence.said[source];
    if (word === undefined) continue;
    if (believed === undefined) believed = word;
    // The agent stands still until its hook is answered, whatever it shows meanwhile.
    else if (believed.held === true) break;
    else if (mayOverrule(source) && isNews(word, believed) && !agree(word, believed.state)) {
      const settlesAt = Math.max(word.since, believed.at) + GRACE_MS;
      if (now < settlesAt) pending.push(settlesAt);
      else {
        overruled.push(believed);
        believed = word;
      }
    }
  }
  return believed === undefined ? undefined : verdict(withReason(believed, evidence), overruled, pending);
}

/** Who tells first of an error often knows only that; why, another may have told. */
function withReason(word: Said, { said }: Evidence): Said {
  if (word.state !== "error" || word.message !== undefined) return word;
  const told = Object.values(said).find(({ state, message }) => state === "error" && message !== undefined);
  return told === undefined ? word : { ...word, message: told.message! };
}

/** Full-screen agents print prompt marks between their messages; marks and processes count where nothing better is. */
function mayOverrule(source: Source): boolean {
  return source !== "prompt" && source !== "process";
}

/** Said later; or begun so shortly before a hook's word that the hook's may be the older one. */
function isNews(word: Said, believed: Said): boolean {
  return word.at > believed.at || (believed.source === "hook" && word.since > believed.at - HOOK_LAG_MS);
}

function hookWord({ asks, said }: Evidence, now: number, pending: number[]): Said | undefined {
  const open = asks.find((ask) => !isOver(ask, now));
  if (open === undefined) return said.hook && { ...said.hook, since: Math.max(said.hook.since, overSince(asks)) };
  if (open.doubtedAt !== undefined) pending.push(open.doubtedAt + GRACE_MS);
  return { ...open, since: open.at };
}

/** When the last of the questions was no longer seen: what the hook said before has held since then. */
function overSince(asks: readonly Ask[]): number {
  return Math.max(0, ...asks.map(({ doubtedAt = 0 }) => doubtedAt));
}

function isOver({ doubtedAt }: Ask, now: number): boolean {
  return doubtedAt !== undefined && now - doubtedAt >= GRACE_MS;
}

const CALM: ReadonlySet<State> = new Set(["idle", "done", "stopped", "error"]);

/** Whether a word can mean the same as a state; sources differ in how finely they can tell. */
function agree({ state, could_be = [] }: Said, other: State): boolean {
  if (state === other || could_be.includes(other)) return true;
  // An error after a calm end is news; calm after an error is how it looks on the screen.
  return (isUrgent(state) && isUrgent(other)) || (state !== "error" && CALM.has(state) && CALM.has(other));
}

function verdict(by: Said, overruled: Said[], pending: readonly number[]): Verdict {
  const { state, label, message, since } = by;
  return {
    state,
    ...optional("label", label),
    ...optional("message", message),
    since,
    by,
    overruled,
    ...optional("settlesAt", pending.length === 0 ? undefined : Math.min(...pending)),
  };
}
