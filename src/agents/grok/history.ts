/** Grok Build's sessions: `updates.jsonl` has the conversation and the bill, `summary.json` what a list shows. */
import { join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { NO_TOKENS, tokensWithout } from "../../core/tokens.ts";
import { codeOf, isNothingAt } from "../../lib/fs/directory.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource, UsageRecord } from "../adapter.ts";
import { countMessages } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { rawLines, recordsIn, seeEdges } from "../shared/line-file.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { type GrokLocator, listSessions } from "./discover.ts";
import {
  ANSWER,
  contentOf,
  endedSubagent,
  PROMPT,
  promptFacts,
  SUBAGENT_END,
  SUMMARY_FILE,
  summaryFacts,
  textOf,
  TURN_END,
  turnEnd,
  type Update,
  updateIn,
} from "./format.ts";
import { projectFolder, sessionsDir } from "./locations.ts";
import { Rewinds } from "./rewinds.ts";
import { isInherited, messagesOf } from "./transcript.ts";

export const history = {
  roots: (env) => [sessionsDir(env)],
  sessionDir: (env, cwd) => (cwd === undefined ? sessionsDir(env) : join(sessionsDir(env), projectFolder(cwd))),
  listSessions,
  summarize,
  read,
} satisfies History;

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const updates: Update[] = [];
  let lines = 0;
  let sawRecord = false;
  try {
    seeEdges(
      source.path,
      (line) => {
        lines++;
        const record = parseRecord(line);
        sawRecord ||= record !== undefined;
        const update = record && updateIn(record);
        if (update !== undefined) updates.push(update);
      },
      () => updates.some(({ kind }) => kind === PROMPT),
    );
  } catch (error) {
    notes.skip(source.path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
  if (lines > 0 && !sawRecord) notes.skip(source.path, "holds no readable record");
  return headOf(
    updates,
    updates.some(({ kind }) => kind === ANSWER),
    source,
  );
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const { path, sessionId } = source;
  let damaged = 0;
  const updates: Update[] = [];
  const rewinds = new Rewinds();
  let sawRecord = false;
  let hasAnswer = false;
  try {
    for (const record of recordsIn(path, () => damaged++)) {
      sawRecord = true;
      const update = updateIn(record);
      rewinds.see(update);
      hasAnswer ||= update?.kind === ANSWER;
      if (update === undefined) damaged++;
      // The texts of the conversation are read again when they are asked for.
      else if (BILLED.has(update.kind)) updates.push(update);
    }
  } catch (error) {
    const code = isNothingAt(path) ? "SESSION_NOT_FOUND" : "PARSE_ERROR";
    throw new AgentMuxError(code, `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (damaged > 0) notes.damage(path, damaged);
  if (damaged > 0 && !sawRecord) throw new AgentMuxError("PARSE_ERROR", `No record in ${path} can be read.`);
  const head = headOf(updates, hasAnswer, source);
  if (head === undefined) return undefined;
  const usage = usageOf(updates, source);
  return {
    head: { ...head, ...optional("model", mostUsed(usage.map(({ model }) => model)) ?? head.model) },
    messages: () =>
      messagesOf(
        updatesIn(path, (place) => !rewinds.isTakenBack(place)),
        sessionId,
        notes,
      ),
    ...(rewinds.some ? { aside: () => asideOf(source, rewinds) } : {}),
    usage: () => usage,
    raw: () => ({ summary: objectIn(summaryOf(source)), updates: rawLines(path) }),
  };
}

/** Kinds that the head and the bill need. */
const BILLED: ReadonlySet<string> = new Set([PROMPT, TURN_END, SUBAGENT_END]);

function* updatesIn(path: string, isWanted?: (place: number) => boolean): Generator<Update> {
  let place = 0;
  for (const record of recordsIn(path)) {
    const update = updateIn(record);
    if (update !== undefined && isWanted?.(place) !== false) yield update;
    place++;
  }
}

function asideOf(
  { path, sessionId }: SessionSource,
  rewinds: Rewinds,
): ReturnType<NonNullable<SessionReader["aside"]>> {
  const messages = () =>
    messagesOf(
      updatesIn(path, (place) => rewinds.isTakenBack(place)),
      sessionId,
    );
  return { count: countMessages(messages()).messageCount, messages };
}

function summaryOf({ locator }: SessionSource): string {
  return join((locator as GrokLocator).folder, SUMMARY_FILE);
}

/** Undefined without a prompt: a start that was left. */
function headOf(updates: readonly Update[], hasAnswer: boolean, source: SessionSource): SessionHead | undefined {
  const { cwd, parentId } = source.locator as GrokLocator;
  const first = updates.find(({ kind }) => kind === PROMPT);
  if (first === undefined) return undefined;
  const { title, isFork, forkedFrom, ...facts } = summaryFacts(objectIn(summaryOf(source)) ?? {});
  const models = updates.flatMap((update) => (update.kind === PROMPT ? (promptFacts(update).model ?? []) : []));
  const isBilled = updates.some((update) => update.kind === TURN_END && turnEnd(update).bill.length > 0);
  return {
    title: sessionTitle(title, textOf(contentOf(first))),
    ...optional("createdMs", first.at),
    ...optional("updatedMs", source.updatedMs),
    ...optional("cwd", cwd),
    ...optional("model", mostUsed(models)),
    ...facts,
    ...(isFork ? optional("forkedFrom", forkedFrom) : {}),
    ...optional("parentId", parentId),
    ...optional("familyKeys", first.eventId === undefined ? undefined : [first.eventId]),
    ...optional("startedMs", facts.createdMs),
    ...(isBilled || !hasAnswer ? {} : { usageUnknown: true }),
  };
}

/**
 * One record per turn and model: Grok Build writes no smaller sums. A turn's sum includes the sub-agents that ended in it, which
 * have sessions and bills of their own. A sub-agent may end more than once: each of its turns is taken out of one sum only.
 */
function usageOf(updates: readonly Update[], { sessionId, locator }: SessionSource): UsageRecord[] {
  const subagents = new Map(Object.entries((locator as GrokLocator).subagents));
  const records: UsageRecord[] = [];
  const taken = new Set<string>();
  let ended = new Set<string>();
  let asked: string | undefined;
  for (const [position, update] of updates.entries()) {
    if (update.kind === PROMPT) asked = promptFacts(update).model ?? asked;
    if (update.kind === SUBAGENT_END) {
      const path = subagents.get(endedSubagent(update) ?? "");
      if (path !== undefined && !isNothingAt(path)) ended.add(path);
    }
    if (update.kind !== TURN_END) continue;
    const included = [...ended].flatMap((path) => turnsIn(path, update.at, taken));
    ended = new Set();
    const { promptId, bill, isCancelled } = turnEnd(update);
    const turn = promptId ?? `${sessionId} ${position}`;
    const facts = { ...optional("at", update.at), ...(isInherited(update, sessionId) ? { copied: true } : {}) };
    // What was asked for before the interruption is billed, but not written down.
    if (isCancelled && bill.length === 0)
      records.push({ key: turn, tokens: { ...NO_TOKENS }, lowerBound: true, ...optional("model", asked), ...facts });
    for (const { model, tokens, microUsd } of bill) {
      const theirs = included.filter((part) => part.model === model);
      records.push({
        key: `${turn} ${model}`,
        model,
        tokens: tokensWithout(
          tokens,
          theirs.map((part) => part.tokens),
        ),
        ...facts,
        ...optional("reportedMicroUsd", microUsd === undefined ? undefined : Math.max(0, microUsd - dollarsOf(theirs))),
      });
    }
  }
  return records;
}

type Bill = ReturnType<typeof turnEnd>["bill"];

/** The bill of a sub-agent's turns up to a time, with that of its own sub-agents. Each turn is given once. */
function turnsIn(path: string, untilMs: number | undefined, taken: Set<string>): Bill {
  const bills: Bill = [];
  let position = 0;
  try {
    for (const update of updatesIn(path)) {
      if (update.kind !== TURN_END) continue;
      const key = `${position++} ${path}`;
      const isLater = untilMs !== undefined && update.at !== undefined && update.at > untilMs;
      if (isLater || taken.has(key)) continue;
      taken.add(key);
      bills.push(...turnEnd(update).bill);
    }
  } catch {
    // The sub-agent's own session reports why its file cannot be read.
  }
  return bills;
}

function dollarsOf(bill: Bill): number {
  return bill.reduce((sum, { microUsd = 0 }) => sum + microUsd, 0);
}
