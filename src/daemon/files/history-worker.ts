/**
 * The history process, so that scanning ten thousand files or searching a gigabyte never blocks a terminal, and a hanging read
 * can be ended.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { plugAgents } from "../../agents/plugins.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { pluginFiles } from "../../status/plugin-files.ts";
import { AnsweringDirectories } from "../../lib/fs/answering-directories.ts";
import { FilesEngine } from "./files-engine.ts";
import type { HistorySources } from "./history-answer.ts";
import type { FilesUpdate } from "./found-conversation.ts";
import type { HistoryRequest } from "./history-request.ts";
import { Workspaces } from "./workspaces.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

interface Answer {
  pieces: AsyncGenerator<string>;
  abort: AbortController;
}

const env = processEnv();
/** The daemon has reported the plug-ins that cannot be used. */
const plugged = plugAgents(pluginFiles(amuxHome(env)));
const registry = new AgentRegistry();
const answering = new AnsweringDirectories((directory) =>
  reportProblem(
    "reading agents' files",
    `${directory} does not answer. Sessions below it are shown without repository.`,
  ),
);
const workspaces = new Workspaces(answering);
let sources: HistorySources | undefined;
const answers = new Map<number, Answer>();
/** News and what follows it, in order. */
let told = Promise.resolve();
const engine = new FilesEngine(
  registry,
  env,
  (news) => tellInOrder(async () => ({ type: "news", news: await located(news) })),
  reportProblem,
);

process.once("disconnect", () => process.exit());
process.on("uncaughtException", (error) => reportProblem("reading agents' files", error, () => process.exit(1)));
process.on("message", (message: ToWorker) => {
  handle(message).catch((error: unknown) => reportProblem("answering", error));
});

// Earlier versions kept heads there.
void rm(join(amuxHome(env), "heads.json"), { force: true }).catch((error: unknown) =>
  reportProblem("deleting a file of an earlier version", error),
);

// A failure ends the process with its error.
void plugged.then(() => engine.start()).then(() => tellInOrder(() => ({ type: "started" })));

async function handle(message: ToWorker): Promise<void> {
  await plugged;
  switch (message.type) {
    case "follow":
      return engine.follow(new Set(message.agents));
    case "scan":
      await engine.scan();
      return tellInOrder(() => ({ type: "scanned", call: message.call, work: engine.work() }));
    case "open":
      return open(message.call, message.request);
    case "next":
      return next(message.call);
    case "cancel":
      return cancel(message.call);
    case "ping":
      return tell({ type: "alive" });
  }
}

function open(call: number, request: HistoryRequest): Promise<void> {
  const abort = new AbortController();
  answers.set(call, { pieces: answer(request, abort.signal), abort });
  return next(call);
}

/** Answers need most of the code: it is loaded with the first question, and a daemon that nobody asks stays small. */
async function* answer(request: HistoryRequest, signal: AbortSignal): AsyncGenerator<string> {
  const [{ answerHistory }, { historySources }] = await Promise.all([
    import("./history-answer.ts"),
    import("./history-sources.ts"),
  ]);
  sources ??= historySources(registry, env, answering, reportProblem);
  yield* answerHistory(sources, request, signal);
}

async function next(call: number): Promise<void> {
  const answer = answers.get(call);
  if (answer === undefined) {
    const message = "The history process was replaced while it answered. Try again.";
    return tell({ type: "failure", call, code: "INTERNAL", message });
  }
  try {
    const { value, done } = await answer.pieces.next();
    if (!answers.has(call)) return;
    if (done !== true) return tell({ type: "piece", call, text: value });
    answers.delete(call);
    tell({ type: "end", call });
  } catch (error) {
    if (!answers.delete(call)) return;
    const code = error instanceof AgentMuxError ? error.code : "INTERNAL";
    tell({ type: "failure", call, code, message: errorText(error) });
  }
}

function cancel(call: number): void {
  const answer = answers.get(call);
  answers.delete(call);
  answer?.abort.abort();
  // Files are closed when the answer is abandoned.
  void answer?.pieces.return(undefined).catch(() => undefined);
}

/** Adds the repositories of those that get a row. */
async function located(news: FilesUpdate): Promise<FilesUpdate> {
  const changed = await Promise.all(
    news.changed.map(async (found) =>
      found.cwd === undefined || found.hidden || found.isOld === true
        ? found
        : { ...found, workspace: await workspaces.of(found.cwd) },
    ),
  );
  return { ...news, changed };
}

function reportProblem(what: string, error: unknown, onTold?: () => void): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell({ type: "problem", what, detail }, onTold);
}

function tellInOrder(make: () => FromWorker | Promise<FromWorker>): void {
  told = told
    .then(async () => tell(await make()))
    .catch((error: unknown) => reportProblem("reporting sessions", error));
}

function tell(message: FromWorker, onTold: () => void = () => undefined): void {
  process.send?.(message, onTold);
}
