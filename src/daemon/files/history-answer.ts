/** Answers about past sessions as JSON text in pieces, so that nothing large is held and a reader that leaves ends it. */
import { Breather } from "../../lib/breathe.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { OnProgress } from "../../sessions/catalog.ts";
import type { SessionManager } from "../../sessions/manager.ts";
import type { SessionView } from "../../sessions/view.ts";
import type { HistoryRequest } from "./history-request.ts";

/** Pieces are gathered up to this size: one message each would cost more than it carries. */
const PIECE_CHARACTERS = 64 * 1024;

export function answerHistory(
  manager: SessionManager,
  request: HistoryRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  return gathered(pieces(manager, request, signal), signal);
}

async function* pieces(manager: SessionManager, request: HistoryRequest, signal: AbortSignal): AsyncGenerator<string> {
  // The session manager reports as it goes; that is where a long search can be ended.
  const onProgress: OnProgress = () => stopIfGivenUp(signal);
  stopIfGivenUp(signal);
  switch (request.kind) {
    case "list": {
      const options = { ...request.options, onProgress };
      const { agent } = request;
      yield* listOf(agent === undefined ? await manager.listAll(options) : await manager.list(agent, options));
      return;
    }
    case "search":
      yield* listOf(await manager.search({ ...request.query, onProgress }));
      return;
    case "cost": {
      const options = { ...request.options, onProgress };
      yield JSON.stringify(await (request.explain ? manager.explainCost(options) : manager.totalCost(options)));
      return;
    }
    case "diff":
      yield JSON.stringify(await manager.diff(request.a, request.b));
      return;
    case "transcript": {
      const { agent, sessionId } = request.session;
      yield* transcript(await manager.open(agent, sessionId, { onProgress }), request.from, request.limit);
      return;
    }
    case "export":
      yield* await manager.exportStream(request.session.agent, request.session.sessionId, request.format);
  }
}

function* listOf(items: readonly object[]): Generator<string> {
  yield "[";
  for (const [index, item] of items.entries()) yield (index === 0 ? "" : ",") + JSON.stringify(item);
  yield "]";
}

/** The session's facts with messages `from` up to `from + limit`. */
function* transcript(view: SessionView, from: number, limit: number): Generator<string> {
  const facts = JSON.stringify({ ...view.summary, from });
  yield `${facts.slice(0, -1)},"messages":[`;
  let index = 0;
  for (const message of view.messages()) {
    if (index >= from + limit) break;
    if (index >= from) yield (index === from ? "" : ",") + JSON.stringify(message);
    index++;
  }
  yield "]}";
}

async function* gathered(source: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  const breather = new Breather();
  let text = "";
  for await (const piece of source) {
    stopIfGivenUp(signal);
    text += piece;
    if (text.length < PIECE_CHARACTERS) {
      await breather.breathe();
      continue;
    }
    yield text;
    text = "";
  }
  yield text;
}

function stopIfGivenUp({ aborted }: AbortSignal): void {
  if (aborted) throw new AgentMuxError("ABORTED", "The request was given up.");
}
