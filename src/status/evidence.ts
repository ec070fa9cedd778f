/**
 * What is known about a session's state: each source's latest report, open questions and a short log. Pure data and functions,
 * for runners, status files and tests. `verdict.ts` derives the state.
 */
import type { OfferedOption } from "../core/offer.ts";
import { isSeenAsk, isUrgent, type Source, type State } from "../core/state.ts";
import { optional } from "../lib/values/optional.ts";

/** One report: the wire's `StatusReport` with its time as a number. */
export interface Observation {
  state: State;
  label?: string;
  message?: string;
  source: Source;
  /** Milliseconds since the epoch. */
  at: number;
  event?: string;
  session?: string;
  pid?: number;
  scope?: string;
  ask?: string;
  begins?: boolean;
  weak?: boolean;
  could_be?: readonly State[];
  held?: boolean;
  options?: readonly OfferedOption[];
  several?: boolean;
}

export interface SourceReport extends Observation {
  /** Since when the source has reported the same. */
  since: number;
}

export interface OpenQuestion extends Observation {
  /** When a less trusted source began to contradict the question. */
  doubtedAt?: number;
}

export interface Logged extends Observation {
  /** Why it had no effect. */
  ignored?: string;
}

export interface Evidence {
  /** The agent's own session and process, as named by hooks. */
  readonly session?: string;
  readonly pid?: number;
  /** The latest report about the agent itself, by source. */
  readonly said: Readonly<Partial<Record<Source, SourceReport>>>;
  /** Oldest first; from the agent and its sub-agents. */
  readonly asks: readonly OpenQuestion[];
  /** Newest last. */
  readonly log: readonly Logged[];
}

/** Covers the last turns; small enough for a file that is rewritten at every event. */
const LOG_LENGTH = 24;

/**
 * How long a less trusted source must contradict a more trusted one to be believed. Agents redraw after their hooks, and
 * animations lag.
 */
export const GRACE_MS = 1000;

/** Hooks take time to start: their reports may be this much older than their time. */
export const HOOK_LAG_MS = 600;

export const NO_EVIDENCE: Evidence = { said: {}, asks: [], log: [] };

export interface World {
  /** Whether a process lives; distinguishes a restarted agent from one started inside another. */
  isAlive(pid: number): boolean;
}

export function observe(evidence: Evidence, observation: Observation, world: World): Evidence {
  if (isSeenAsk(observation.ask)) return logged(withSeen(evidence, observation), observation);
  if (observation.source !== "hook") return logged(withOther(evidence, observation), observation);
  const belongs = belonging(evidence, observation, world);
  if (belongs === "foreign") return logged(evidence, observation, "of another session");
  if (belongs === "nested") {
    return withHelper(evidence, { ...observation, scope: `session ${observation.session}` });
  }
  const known = belongs === "new" ? forNewSession(evidence, observation) : withPid(evidence, observation);
  const current = awake(known, observation);
  return observation.scope === undefined ? withMain(current, observation) : withHelper(current, observation);
}

/** A question on the screen stays open until it leaves the screen. */
function withSeen(evidence: Evidence, observation: Observation): Evidence {
  const others = evidence.asks.filter(({ ask }) => !isSeenAsk(ask));
  if (!isUrgent(observation.state)) return { ...evidence, asks: others };
  const known = evidence.asks.find(({ ask, message }) => isSeenAsk(ask) && message === observation.message);
  return { ...evidence, asks: [...others, { ...observation, at: known?.at ?? observation.at, held: true }] };
}

/** A hook no longer waits; from now on the screen decides. */
export function release(evidence: Evidence, ask: string | undefined, at: number): Evidence {
  const asks = evidence.asks.map((open) => {
    if (open.held !== true || open.ask !== ask) return open;
    const { held: _, ...rest } = open;
    const isDoubted = Object.values(evidence.said).some((word) => isDoubt(word) && word.since > open.at);
    return isDoubted ? { ...rest, doubtedAt: at } : rest;
  });
  return { ...evidence, asks };
}

/** The source withdraws its report. */
export function withdraw(evidence: Evidence, source: Source): Evidence {
  const { [source]: _, ...said } = evidence.said;
  return { ...evidence, said, asks: source === "hook" ? [] : evidence.asks };
}

type Belonging = "same" | "new" | "nested" | "foreign";

function belonging({ session, pid }: Evidence, observation: Observation, world: World): Belonging {
  if (observation.session === undefined) return "same";
  if (session === undefined) return "new";
  if (observation.session === session) return "same";
  // `/clear` and `/resume` continue in the same process; a crash leaves a dead one.
  const inside = observation.pid !== undefined && pid !== undefined && observation.pid !== pid && world.isAlive(pid);
  if (inside) return "nested";
  return observation.begins === true ? "new" : "foreign";
}

/** A source that reports is not gone. */
function awake(evidence: Evidence, { at }: Observation): Evidence {
  const { process: gone, ...said } = evidence.said;
  return gone?.state === "offline" && gone.at < at ? { ...evidence, said } : evidence;
}

function forNewSession(
  { said: { hook: _, ...said }, asks, log }: Evidence,
  { session, pid, state }: Observation,
): Evidence {
  return { session: session!, ...optional("pid", pid), said, asks: seenAfter(asks, state), log };
}

function withPid(evidence: Evidence, { pid }: Observation): Evidence {
  return pid === undefined ? evidence : { ...evidence, pid };
}

function withMain(evidence: Evidence, observation: Observation): Evidence {
  if (observation.at < (evidence.said.hook?.at ?? 0)) return logged(evidence, observation, "overtaken");
  if (isUrgent(observation.state)) return withAsk(evidence, observation);
  if (observation.weak === true && !isRestless(evidence)) return logged(evidence, observation, "calm already");
  const asks = asksAfter(evidence.asks, observation);
  const current = asks.length < evidence.asks.length ? sinceAnswered(evidence, observation.at) : evidence;
  return logged({ ...said(current, observation), asks }, observation);
}

/** The state before a question continues after it, since the answer. */
function sinceAnswered(evidence: Evidence, at: number): Evidence {
  const { hook } = evidence.said;
  if (hook === undefined) return evidence;
  const over = Math.min(at, ...evidence.asks.flatMap(({ doubtedAt }) => doubtedAt ?? []));
  return { ...evidence, said: { ...evidence.said, hook: { ...hook, since: Math.max(hook.since, over) } } };
}

function isRestless({ said, asks }: Evidence): boolean {
  return asks.length > 0 || said.hook?.state === "working";
}

/** Hooks also run behind a startup dialog; the first turn ends it. */
function seenAfter(asks: readonly OpenQuestion[], state: State): OpenQuestion[] {
  return state === "idle" ? asks.filter(({ ask }) => isSeenAsk(ask)) : [];
}

function asksAfter(asks: readonly OpenQuestion[], { state, ask, begins }: Observation): OpenQuestion[] {
  if (begins === true || state === "offline") return seenAfter(asks, state);
  // The end names its question, or, if unnamed, ends whatever was asked.
  if (ask !== undefined)
    return asks.filter((open) => open.scope !== undefined || (open.ask !== ask && open.ask !== undefined));
  return asks.filter((open) => open.scope !== undefined || (state === "idle" && isSeenAsk(open.ask)));
}

function withAsk(evidence: Evidence, observation: Observation): Evidence {
  const known = evidence.asks.some(
    (open) => open.scope === observation.scope && (open.ask === observation.ask || observation.ask === undefined),
  );
  if (known) return logged(evidence, observation, "known already");
  const overtaken = Object.values(evidence.said).some(
    (word) => isDoubt(word) && word.since > observation.at - HOOK_LAG_MS && !isSameStart(word, evidence.said.hook),
  );
  const ask: OpenQuestion =
    overtaken && observation.held !== true ? { ...observation, doubtedAt: observation.at } : observation;
  return logged({ ...evidence, asks: [...evidence.asks, ask] }, observation);
}

/** Shows the turn that a hook has just begun: that was before the question, so it says nothing against it. */
export function isSameStart({ state, since }: SourceReport, hook: SourceReport | undefined): boolean {
  return hook?.state === state && hook.begins === true && Math.abs(since - hook.at) < GRACE_MS;
}

/** Whether it says that nothing is asked; hooks end questions by name, and a program that runs may well ask. */
function isDoubt({ source, state, could_be = [] }: Observation): boolean {
  return source !== "hook" && !isRunning({ source, state }) && !isUrgent(state) && !could_be.some(isUrgent);
}

function isRunning({ source, state }: Pick<Observation, "source" | "state">): boolean {
  return source === "prompt" && state === "working";
}

/** A sub-agent matters when it asks; its work only shows that the agent continues. */
function withHelper(evidence: Evidence, observation: Observation): Evidence {
  if (isUrgent(observation.state)) return withAsk(evidence, observation);
  const over = observation.state !== "working" || observation.ask === undefined;
  const asks = evidence.asks.filter(
    (open) => open.scope !== observation.scope || (!over && open.ask !== observation.ask),
  );
  const { hook } = (asks.length < evidence.asks.length ? sinceAnswered(evidence, observation.at) : evidence).said;
  if (observation.state !== "working" || hook?.state !== "working") return logged({ ...evidence, asks }, observation);
  const goesOn = { ...hook, at: Math.max(hook.at, observation.at) };
  return logged({ ...evidence, asks, said: { ...evidence.said, hook: goesOn } }, observation);
}

function withOther(evidence: Evidence, observation: Observation): Evidence {
  const current = isNextTurn(evidence, observation) ? withoutOldTurn(evidence) : evidence;
  return { ...said(current, observation), asks: doubted(current.asks, observation) };
}

/** A turn ended without a hook, and new work begins: its hook will name it. */
function isNextTurn({ said: { hook, agent } }: Evidence, { source, state, at }: Observation): boolean {
  if (source !== "agent" || agent === undefined || !isDoubt(agent)) return false;
  const goesFromRestToWork = agent.state !== "working" && state === "working" && hook?.state === "working";
  return goesFromRestToWork && at - Math.max(agent.since, hook.at) >= GRACE_MS;
}

function withoutOldTurn(evidence: Evidence): Evidence {
  const { message: _, label: __, ...hook } = evidence.said.hook!;
  return { ...evidence, said: { ...evidence.said, hook } };
}

/** A question no longer shown is over, even without a hook: it was answered or cancelled. */
function doubted(asks: readonly OpenQuestion[], observation: Observation): OpenQuestion[] {
  const { state, at } = observation;
  if (isDoubt(observation))
    return asks.map((open) => (open.doubtedAt === undefined && open.held !== true ? { ...open, doubtedAt: at } : open));
  // Full-screen agents print both prompt marks between messages.
  if (isRunning(observation)) return asks.map((open) => (isFresh(open, at) ? withoutDoubt(open) : open));
  if (!isUrgent(state)) return [...asks];
  return asks.flatMap((open) => {
    const { doubtedAt, ...rest } = open;
    return doubtedAt !== undefined && at - doubtedAt >= GRACE_MS ? [] : [rest];
  });
}

function isFresh({ doubtedAt }: OpenQuestion, at: number): boolean {
  return doubtedAt !== undefined && at - doubtedAt < GRACE_MS;
}

function withoutDoubt({ doubtedAt: _, ...open }: OpenQuestion): OpenQuestion {
  return open;
}

function said(evidence: Evidence, observation: Observation): Evidence {
  const { source, state, at } = observation;
  const before = evidence.said[source];
  const goesOn = before?.state === state && observation.begins !== true && !isAnotherQuestion(before, observation);
  // The next tool is part of the same work for the same prompt.
  const message = observation.message ?? (goesOn ? before.message : undefined);
  const word: SourceReport = { ...observation, ...optional("message", message), since: goesOn ? before.since : at };
  return { ...evidence, said: { ...evidence.said, [source]: word } };
}

/** A second question directly after the first is as new as the first was. */
function isAnotherQuestion(before: SourceReport, { state, message }: Observation): boolean {
  return isUrgent(state) && message !== undefined && before.message !== undefined && message !== before.message;
}

function logged(evidence: Evidence, observation: Observation, ignored?: string): Evidence {
  const last = evidence.log.at(-1);
  const entry: Logged = ignored === undefined ? observation : { ...observation, ignored };
  // An animation repeats itself ten times a second; once is enough for the log.
  if (last !== undefined && isRepetition(last, entry))
    return { ...evidence, log: [...evidence.log.slice(0, -1), entry] };
  return { ...evidence, log: [...evidence.log, entry].slice(-LOG_LENGTH) };
}

function isRepetition(a: Logged, b: Logged): boolean {
  return a.source !== "hook" && a.source === b.source && a.state === b.state && a.message === b.message;
}
