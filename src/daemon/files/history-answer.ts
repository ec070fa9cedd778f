/** Answers about past sessions as JSON in chunks, so that memory stays small and a reader can leave early. */
import type { AgentEnv } from "../../agents/adapter.ts";
import { agentReadings } from "../../agents/account-limits.ts";
import { makeForkCopy } from "../../agents/fork-copy.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { amuxHome } from "../../lib/fs/paths.ts";
import { jsonText } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import { wellFormedJson } from "../../lib/text/text.ts";
import type { ConflictRadar } from "../../changes/conflict/radar.ts";
import { sessionChanges } from "../../changes/diff/session-changes.ts";
import type { MachineReport } from "../../core/agent-report.ts";
import type { CostExplanation, CostSummary } from "../../core/cost.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { readReviews } from "../../changes/review/review-file.ts";
import { changeReview, listReviews, readReview, settleComments, takeComments } from "../../changes/review/reviews.ts";
import { knownLimits } from "../../limits/known-limits.ts";
import { listModels } from "../../models/model-list.ts";
import type { OnProgress } from "../../history/progress.ts";
import { withoutUnknownCost } from "../../history/export/json.ts";
import { examineAgents } from "../../history/examine-agents.ts";
import { SessionManager } from "../../history/manager.ts";
import { bringBack } from "../../history/vault/bring-back.ts";
import { titled } from "../../history/cost/titled.ts";
import { explanationCsv, reportCsv } from "../../history/cost/csv.ts";
import type { ProjectSnapshot } from "../../status/projects/project-snapshot.ts";
import type { SessionView } from "../../status/session-view.ts";
import type { SearchProgress } from "../../protocol/history-api.ts";
import { facetsOf } from "./facets.ts";
import { overviewOf } from "./overview.ts";
import { writeSnapshot } from "./share-snapshot.ts";
import type { HistoryRequest, ReviewRequest, TranscriptRequest } from "./history-request.ts";
import type { OpenTranscripts, Pages } from "./open-transcripts.ts";

/** Size of a chunk: smaller ones would cost more than they carry. */
const PIECE_CHARACTERS = 64 * 1024;

/** Results of reading are kept for the next request, here and in commands. */
const KEEPING = { index: "fill" } as const;

/** Incremental search asks several times a second; stores change more slowly. */
const LIST_AGE_MS = 2000;

/** As much as a screen shows. */
const ENDING_MESSAGES = 3;
const ENDING_CHARACTERS = 2000;

export interface HistorySources {
  manager: SessionManager;
  transcripts: OpenTranscripts;
  registry: AgentRegistry;
  env: AgentEnv;
  lookAtProjects: (sessions: readonly SessionView[]) => Promise<ProjectSnapshot[]>;
  radar: ConflictRadar;
  /** Searches that are being answered, oldest first. */
  searches: Set<SearchProgress>;
}

export function answerHistory(
  sources: HistorySources,
  request: HistoryRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  return gathered(pieces(sources, request, signal), signal);
}

async function* pieces(
  { manager, transcripts, registry, env, lookAtProjects, radar, searches }: HistorySources,
  request: HistoryRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // The session manager's progress callback is where a long search can be ended.
  const onProgress: OnProgress = () => stopIfGivenUp(signal);
  stopIfGivenUp(signal);
  switch (request.kind) {
    case "list": {
      const options = { ...KEEPING, ...request.options, onProgress };
      const { agent } = request;
      const rows = agent === undefined ? await manager.listAll(options) : await manager.list(agent, options);
      yield* listOf(rows.map(withoutUnknownCost));
      return;
    }
    case "search": {
      const progress: SearchProgress = { done: 0, total: 0 };
      searches.add(progress);
      try {
        const query = { ...KEEPING, staleMs: LIST_AGE_MS, ...request.query, onProgress: noting(progress, onProgress) };
        yield* listOf((await manager.search(query)).map(withoutUnknownCost));
      } finally {
        searches.delete(progress);
      }
      return;
    }
    case "progress":
      yield written([...searches].at(-1) ?? { done: 0, total: 0 });
      return;
    case "cost": {
      const options = { ...KEEPING, ...request.options, onProgress };
      if (request.explain) {
        const explanation = await manager.explainCost(options);
        yield* request.csv === true ? explanationCsv(explanation) : explained(explanation);
      } else {
        const plain = await manager.totalCost(options);
        const summary = request.titled === true ? await withTitles(manager, plain, options.agent) : plain;
        yield* request.csv === true ? reportCsv(summary) : [written(summary)];
      }
      return;
    }
    case "facets":
      yield written(await facetsOf(manager, { ...KEEPING, staleMs: LIST_AGE_MS, ...request.query, onProgress }));
      return;
    case "overview":
      yield written(await overviewOf(manager, request.options, { ...KEEPING, onProgress }));
      return;
    case "models":
      yield written(listModels(manager.prices));
      return;
    case "doctor": {
      // A manager of its own: the standing one has counted damaged lines before.
      const found = await examineAgents(new SessionManager(registry, env), env, { onProgress });
      const report: MachineReport = { ...found, damagedReviews: readReviews(amuxHome(env)).damaged };
      yield written(report);
      return;
    }
    case "limits": {
      const now = Date.now();
      yield written(knownLimits(amuxHome(env), await agentReadings(registry, env, now), now));
      return;
    }
    case "projects":
      yield written(await lookAtProjects(request.sessions));
      return;
    case "diff":
      yield written(await manager.diff(request.a, request.b));
      return;
    case "changes":
      yield written(
        await sessionChanges({ sessions: manager, env, onProgress, signal }, request.subject, request.options),
      );
      return;
    case "conflicts":
      yield written(await radar.look(request.sessions, Date.now()));
      return;
    case "transcript": {
      yield* transcript(await transcripts.open(request.session, onProgress), request);
      return;
    }
    case "restore": {
      const { summary } = await manager.open(request.session.agent, request.session.sessionId);
      yield written({ restored: summary.inVault === true ? bringBack(env, request.session) : 0 });
      return;
    }
    case "fork": {
      const { message, scratch } = request;
      const { view } = await transcripts.open(request.session, onProgress);
      const wish = { source: view.source, reader: view, scratch, ...optional("message", message) };
      yield written(makeForkCopy(await registry.get(request.session.agent), env, wish));
      return;
    }
    case "ending":
      yield written(ending(await transcripts.open(request.session, onProgress)));
      return;
    case "reviews":
      yield written(listReviews(amuxHome(env)));
      return;
    case "review": {
      const { ids, session, described, change } = request;
      if (change === undefined) yield written(readReview(amuxHome(env), ids));
      else
        yield written(await changeReview(amuxHome(env), { ids, describe: () => describe(session, described) }, change));
      return;
    }
    case "take-comments":
      yield written(takeComments(amuxHome(env), request.ids, request.wish, request.sender));
      return;
    case "settle-comments":
      yield written(settleComments(amuxHome(env), request.ids, request.delivery, request.outcome) ?? null);
      return;
    case "share": {
      const { session, file, takeUnsure, secrets } = request;
      const { view } = await transcripts.open(session, onProgress);
      const stop = (): void => stopIfGivenUp(signal);
      yield written(await writeSnapshot(view, { file, takeUnsure, secrets, env, onProgress: stop }));
      return;
    }
    case "export":
      yield* await manager.exportStream(
        request.session.agent,
        request.session.sessionId,
        request.format,
        request.limit === undefined ? {} : { limit: request.limit },
      );
  }

  async function describe(
    session: ReviewRequest["session"],
    described: ReviewRequest["described"],
  ): Promise<{ title: string; cwd: string }> {
    if (described !== undefined || session === undefined) return described ?? { title: "", cwd: "" };
    const { title, cwd = "" } = (await transcripts.open(session, onProgress)).view.summary;
    return { title, cwd };
  }
}

function noting(progress: SearchProgress, onProgress: OnProgress): OnProgress {
  return (news) => {
    if (news.stage === "sessions") Object.assign(progress, { done: news.done, total: news.total });
    onProgress(news);
  };
}

/** Foreign values may be nested too deeply for JSON.stringify, or cut off. */
function written(value: unknown): string {
  return wellFormedJson(jsonText(value));
}

async function withTitles(manager: SessionManager, summary: CostSummary, agent?: string): Promise<CostSummary> {
  const { groupBy = [], breakdowns } = summary;
  if (!groupBy.includes("session")) return summary;
  const rows = await manager.heads({ ...KEEPING, ...optional("agent", agent) });
  const titles = new Map(rows.map(({ unifiedId, title }) => [unifiedId, title]));
  return { ...summary, breakdowns: titled(breakdowns, groupBy, titles) };
}

function* listOf(items: readonly object[]): Generator<string> {
  yield "[";
  for (const [index, item] of items.entries()) yield (index === 0 ? "" : ",") + written(item);
  yield "]";
}

/** One request at a time: years in one string would block the next hop. */
function* explained({ summary, requests, dropped }: CostExplanation): Generator<string> {
  yield `{"summary":${written(summary)},"requests":`;
  yield* listOf(requests);
  yield ',"dropped":';
  yield* listOf(dropped);
  yield "}";
}

/** The session's facts with messages `from` to `from + limit`, and its sub-agents'. */
function* transcript(pages: Pages, { from, limit, subagents }: TranscriptRequest): Generator<string> {
  const summary = withoutUnknownCost(pages.view.summary);
  yield `${written({ ...summary, from }).slice(0, -1)},"messages":[`;
  let separator = "";
  for (const message of pages.read(from, limit)) {
    yield separator + written(message);
    separator = ",";
  }
  yield "]";
  const found = subagents ? pages.view.subagents() : [];
  if (found.length > 0) {
    yield ',"subagents":';
    yield* listOf(found);
  }
  yield "}";
}

/** The last messages' text, oldest first. */
function ending(pages: Pages): string {
  const last: string[] = [];
  for (const { role, content } of pages.read(0, Number.MAX_SAFE_INTEGER)) {
    if (role !== "user" && role !== "assistant") continue;
    last.push(content.slice(-ENDING_CHARACTERS));
    if (last.length > ENDING_MESSAGES) last.shift();
  }
  return last.join("\n");
}

async function* gathered(source: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  const yielder = new EventLoopYielder();
  let text = "";
  for await (const piece of source) {
    stopIfGivenUp(signal);
    text += piece;
    if (text.length < PIECE_CHARACTERS) {
      await yielder.yieldIfDue();
      continue;
    }
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

function stopIfGivenUp({ aborted }: AbortSignal): void {
  if (aborted) throw new AgentMuxError("ABORTED", "The request was cancelled.");
}
