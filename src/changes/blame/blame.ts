/** `blame`: which message of which session made these lines. */
import type { AgentEnv } from "../../agents/adapter.ts";
import type { ChangeOrigin, EvidenceTier } from "../../core/changes.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { SessionManager } from "../../history/manager.ts";
import { withoutUnknownCost } from "../../history/export/json.ts";
import { optional } from "../../lib/values/optional.ts";
import { answer } from "../diff/repository.ts";
import { blameLines } from "./blame-lines.ts";
import type { BlamedSession, BlameRange, BlameReport, BlameTarget } from "./blame-report.ts";
import { pullRequestTarget, targetOf, type Asked } from "./blame-target.ts";
import { contextsOf, type BlameView, type EditContext } from "./edit-context.ts";
import { placesOf } from "./edit-places.ts";
import { recordedEdits, type EditQuery, type RecordedEdit, type RecordedEdits } from "./recorded-edits.ts";

/** Where edits come from: this machine, another one, or an archive. */
export interface BlameSource {
  edits(query: EditQuery): Promise<RecordedEdits & { notes?: readonly string[] }>;
  /** Undefined if this session is not this source's. */
  open(origin: ChangeOrigin): Promise<BlameView | undefined>;
}

export interface BlameQuestion {
  /** `FILE`, `FILE:LINE`, `FILE:LINE-LINE`, or a commit. */
  target?: string;
  pullRequest?: number;
  /** Any directory of the repository; also what a relative FILE is relative to. */
  cwd: string;
}

export function localSource(sessions: SessionManager): BlameSource {
  return {
    edits: (query) => recordedEdits(sessions, query),
    open: async ({ agent, sessionId, machine }) =>
      machine === undefined ? sessions.open(agent!, sessionId!) : undefined,
  };
}

export async function blame(
  sources: readonly BlameSource[],
  { target, pullRequest, cwd }: BlameQuestion,
  env: AgentEnv,
): Promise<BlameReport> {
  if ((target === undefined) === (pullRequest === undefined))
    throw new AgentMuxError("VALIDATION_ERROR", "Name a file, a commit or a pull request: one of them.");
  const asked = target === undefined ? await pullRequestTarget(pullRequest!, cwd) : await targetOf(target, cwd);
  const places = await placesOf(asked.repository, env);
  const notes: string[] = [];
  const { ranges, notes: more } = await blameLines(asked, async (query) => {
    const edits: RecordedEdit[] = [];
    const known = new Set<string>();
    for (const source of sources) {
      const found = await source.edits({ ...places, ...query });
      // A session may be in several places.
      const more = found.edits.filter(({ agent, sessionId }) => !known.has(joinUnifiedId(agent, sessionId)));
      for (const edit of more) edits.push(edit);
      for (const { agent, sessionId } of more) known.add(joinUnifiedId(agent, sessionId));
      notes.push(...(found.notes ?? []), ...notesOn(found));
    }
    return edits.sort((a, b) => a.at - b.at);
  });
  const sessions = await explained(ranges, sources);
  return {
    root: asked.repository.root,
    target: await named(asked),
    lines: countsOf(ranges),
    ranges,
    sessions,
    notes: [...notes, ...more],
  };
}

function notesOn({ skipped, isCut }: RecordedEdits): string[] {
  return [
    ...(skipped > 0
      ? [`${skipped} ${skipped === 1 ? "session" : "sessions"} could not be read; see amux doctor.`]
      : []),
    ...(isCut ? ["There are too many edits to hold: the oldest sessions were left out."] : []),
  ];
}

async function named(asked: Asked): Promise<BlameTarget> {
  if (asked.kind === "file") return { kind: "file", path: asked.path, start: asked.start, end: asked.end };
  if (asked.kind === "pull-request") {
    const { number, base, head } = asked;
    return { kind: "pull-request", number, base, head };
  }
  const { commit, repository } = asked;
  const subject = (await answer(repository.git, "log", "-1", "--format=%s", commit, "--"))?.trim() ?? "";
  return { kind: "commit", commit, subject };
}

function countsOf(ranges: readonly BlameRange[]): Record<EvidenceTier, number> {
  const counts = { proved: 0, near: 0, none: 0 };
  for (const { origin, start, end } of ranges) counts[origin.tier] += end - start + 1;
  return counts;
}

/** Adds what led to each edit to its ranges; returns their sessions. */
async function explained(ranges: BlameRange[], sources: readonly BlameSource[]): Promise<BlamedSession[]> {
  const bySession = new Map<string, BlameRange[]>();
  for (const range of ranges) {
    const { agent, sessionId, machine = "" } = range.origin;
    if (agent === undefined || sessionId === undefined) continue;
    const key = `${machine}\0${joinUnifiedId(agent, sessionId)}`;
    bySession.set(key, [...(bySession.get(key) ?? []), range]);
  }
  const sessions: BlamedSession[] = [];
  for (const own of bySession.values()) {
    const view = await openIn(sources, own[0]!.origin);
    const indexes = own.flatMap(({ origin }) => origin.messageIndex ?? []);
    const contexts = view === undefined ? new Map<number, EditContext>() : contextsOf(view, new Set(indexes));
    for (const range of own) Object.assign(range, contexts.get(range.origin.messageIndex ?? -1));
    sessions.push(sessionOf(own, view));
  }
  return sessions.sort((a, b) => b.proved + b.near - (a.proved + a.near));
}

/** The edits say enough if the session is gone by now, or its machine. */
async function openIn(sources: readonly BlameSource[], origin: ChangeOrigin): Promise<BlameView | undefined> {
  for (const source of sources) {
    try {
      const view = await source.open(origin);
      if (view !== undefined) return view;
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
    }
  }
  return undefined;
}

function sessionOf(ranges: readonly BlameRange[], view: BlameView | undefined): BlamedSession {
  const { agent, sessionId, sessionTitle, machine } = ranges[0]!.origin;
  const { proved, near } = countsOf(ranges);
  return {
    unifiedId: joinUnifiedId(agent!, sessionId!),
    agent: agent!,
    sessionId: sessionId!,
    title: sessionTitle ?? "",
    ...optional("machine", machine),
    ...optional("model", view?.summary.model),
    ...(view === undefined ? {} : optional("cost", withoutUnknownCost(view.summary).cost)),
    proved,
    near,
  };
}
