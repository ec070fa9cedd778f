/**
 * Derives a session's state from its evidence. The most trusted source wins; a less trusted one counts only if it is newer,
 * contradicts and persists. So no state outlives its cause: a cancelled turn, an answered dialog, a crash.
 */
import { isUrgent, SOURCES, type Source, type State } from "../core/state.ts";
import { optional } from "../lib/values/optional.ts";
import { GRACE_MS, HOOK_LAG_MS, isSameStart, type OpenQuestion, type Evidence, type SourceReport } from "./evidence.ts";

export interface Verdict {
  state: State;
  label?: string;
  message?: string;
  /** Since when, in milliseconds since the epoch. */
  since: number;
  /** The deciding report. */
  by: SourceReport;
  /** Id of the question and its options, if the runner sends one. */
  asked?: string;
  /** More trusted reports that were overruled because they are older. */
  overruled: SourceReport[];
  /** When the state may change by itself. */
  settlesAt?: number;
}

/** Undefined without any report. */
export function judge(evidence: Evidence, now: number): Verdict | undefined {
  const { process } = evidence.said;
  if (process?.state === "offline") return verdict(process, [], []);
  const pending: number[] = [];
  const overruled: SourceReport[] = [];
  let believed: SourceReport | undefined;
  for (const source of SOURCES) {
    const word = source === "hook" ? hookWord(evidence, now, pending) : evidence.said[source];
    if (word === undefined) continue;
    if (believed === undefined) believed = word;
    // The agent waits for its hook's answer, whatever it shows meanwhile.
    else if (believed.held === true) break;
    else if (mayOverrule(source) && isNews(word, believed, evidence.said.hook) && !agree(word, believed.state)) {
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

/** The first report of an error often lacks the reason; another source may have it. */
function withReason(word: SourceReport, { said }: Evidence): SourceReport {
  if (word.state !== "error" || word.message !== undefined) return word;
  const told = Object.values(said).find(({ state, message }) => state === "error" && message !== undefined);
  return told === undefined ? word : { ...word, message: told.message! };
}

/** Full-screen agents print prompt marks between messages; marks and processes count only without better sources. */
function mayOverrule(source: Source): boolean {
  return source !== "prompt" && source !== "process";
}

/** Later; or begun so shortly before a hook's report that the hook's may be older, and not by the turn it is in. */
function isNews(word: SourceReport, believed: SourceReport, hook: SourceReport | undefined): boolean {
  if (word.at > believed.at) return true;
  return believed.source === "hook" && word.since > believed.at - HOOK_LAG_MS && !isSameStart(word, hook);
}

function hookWord({ asks, said }: Evidence, now: number, pending: number[]): SourceReport | undefined {
  const open = asks.find((ask) => !isOver(ask, now));
  if (open === undefined) return said.hook && { ...said.hook, since: Math.max(said.hook.since, overSince(asks)) };
  if (open.doubtedAt !== undefined) pending.push(open.doubtedAt + GRACE_MS);
  return { ...open, since: open.at };
}

/** When the last question disappeared: the hook's earlier state holds since then. */
function overSince(asks: readonly OpenQuestion[]): number {
  return Math.max(0, ...asks.map(({ doubtedAt = 0 }) => doubtedAt));
}

function isOver({ doubtedAt }: OpenQuestion, now: number): boolean {
  return doubtedAt !== undefined && now - doubtedAt >= GRACE_MS;
}

const CALM: ReadonlySet<State> = new Set(["idle", "done", "stopped", "error"]);

/** Whether a report can mean this state; sources differ in precision. */
function agree({ state, could_be = [] }: SourceReport, other: State): boolean {
  if (state === other || could_be.includes(other)) return true;
  // An error after a calm end is news; calm after an error is how it looks on the screen.
  return (isUrgent(state) && isUrgent(other)) || (state !== "error" && CALM.has(state) && CALM.has(other));
}

function verdict(by: SourceReport, overruled: SourceReport[], pending: readonly number[]): Verdict {
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
