/** Factory Droid's sessions: the conversation in one file of lines, the bill in a settings file beside it. */
import { basename, dirname, join } from "node:path";
import type { TokenCounts } from "../../core/cost.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { tokensWithout } from "../../core/tokens.ts";
import { codeOf, entriesOf, filesIn, fileStat, isNothingAt, type FileStat } from "../../lib/fs/directory.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource, UsageRecord } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { rawLines, recordsIn, seeEdges } from "../shared/line-file.ts";
import { answerMessage, CallIndex, toolMessage, withTimestamp } from "../shared/message-fields.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { firstOfEach } from "../shared/source-list.ts";
import {
  type DroidMessage,
  type DroidRecord,
  type Header,
  isSessionFile,
  recordIn,
  sessionFileOf,
  sessionIdIn,
  settingsFacts,
  settingsFileOf,
} from "./format.ts";
import { projectFolder, sessionsDir } from "./locations.ts";

export const history = {
  roots: (env) => [sessionsDir(env)],
  sessionDir: (env, cwd) => (cwd === undefined ? sessionsDir(env) : join(sessionsDir(env), projectFolder(cwd))),
  listSessions,
  summarize,
  read,
} satisfies History;

function listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[] {
  const wanted = cwd === undefined ? undefined : projectFolder(cwd);
  const root = sessionsDir(env);
  const files = entriesOf(root, notes.onProblem).flatMap((entry) => {
    const path = join(root, entry.name);
    if (isSessionFile(entry.name)) return fileStat(path, notes.onProblem) ?? [];
    const isFolder = entry.isDirectory() || entry.isSymbolicLink();
    if (!isFolder || (wanted !== undefined && entry.name !== wanted)) return [];
    return filesIn(path, isSessionFile, notes.onProblem);
  });
  return firstOfEach(files.map(sourceOf));
}

function sourceOf(file: FileStat): SessionSource {
  const settings = fileStat(settingsFileOf(file.path));
  return {
    sessionId: sessionIdIn(basename(file.path)),
    path: file.path,
    files: settings === undefined ? [file] : [file, settings],
    updatedMs: file.mtimeMs,
  };
}

/** The facts of a session that its records show, one after the other. */
class HeadFacts {
  header: Header = {};
  title: string | undefined;
  prompt: DroidMessage | undefined;
  firstId: string | undefined;
  lastId: string | undefined;
  /** The last copied message of a fork or the one after it was seen: damage leaves one of them. */
  sawForkPoint = false;
  lastMs: number | undefined;
  hasAnswer = false;
  sawRecord = false;
  readonly models: (string | undefined)[] = [];

  see(record: DroidRecord): void {
    this.sawRecord = true;
    if (record.is === "header") this.header = record.header;
    else if (record.is === "title") this.title = record.title ?? this.title;
    else if (record.is === "message") this.#seeMessage(record.message);
  }

  #seeMessage(message: DroidMessage): void {
    this.firstId ??= message.id;
    this.lastId = message.id;
    const { forkedAt } = this.header;
    this.sawForkPoint ||= forkedAt !== undefined && (message.id === forkedAt || message.previousId === forkedAt);
    this.lastMs = message.at ?? this.lastMs;
    if (message.role === "assistant") {
      this.hasAnswer = true;
      this.models.push(message.model);
    } else if (isPrompt(message)) this.prompt ??= message;
  }

  /** Undefined without a prompt: a start that was left. */
  head({ path, updatedMs }: SessionSource): SessionHead | undefined {
    if (this.prompt === undefined) return undefined;
    const settings = settingsFacts(objectIn(settingsFileOf(path)) ?? {});
    const { forkedFrom, forkedAt, parentId, cwd, title } = this.header;
    // A fork that nobody has continued has no sum.
    const hasOwnAnswer = this.hasAnswer && (forkedAt === undefined || this.lastId !== forkedAt);
    return {
      title: sessionTitle(this.title ?? title, this.prompt.text),
      ...optional("createdMs", this.prompt.at),
      ...optional("startedMs", this.prompt.at),
      updatedMs: this.lastMs ?? updatedMs,
      ...optional("model", mostUsed(this.models) ?? settings.model),
      ...optional("cwd", cwd),
      ...optional("forkedFrom", forkedFrom),
      ...optional("parentId", parentId),
      ...optional("familyKeys", this.firstId === undefined ? undefined : [this.firstId]),
      ...(hasOwnAnswer && settings.tokens === undefined ? { usageUnknown: true } : {}),
    };
  }
}

function isPrompt(message: DroidMessage): boolean {
  return (
    message.role === "user" &&
    !message.isNotice &&
    !message.isHidden &&
    message.results.length === 0 &&
    saysMuch(message)
  );
}

function saysMuch({ text, images }: DroidMessage): boolean {
  return text !== "" || images.length > 0;
}

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const facts = new HeadFacts();
  let lines = 0;
  try {
    seeEdges(
      source.path,
      (line) => {
        lines++;
        const record = parseRecord(line);
        if (record !== undefined) facts.see(recordIn(record));
      },
      () => facts.prompt !== undefined,
    );
  } catch (error) {
    notes.skip(source.path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
  if (lines > 0 && !facts.sawRecord) notes.skip(source.path, "holds no readable record");
  return facts.head(source);
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const { path } = source;
  const facts = new HeadFacts();
  let damaged = 0;
  try {
    for (const fields of recordsIn(path, () => damaged++)) {
      const record = recordIn(fields);
      if (record.is === "unknown") notes.unknown(record.type);
      facts.see(record);
    }
  } catch (error) {
    const code = isNothingAt(path) ? "SESSION_NOT_FOUND" : "PARSE_ERROR";
    throw new AgentMuxError(code, `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (damaged > 0) notes.damage(path, damaged);
  if (damaged > 0 && !facts.sawRecord) throw new AgentMuxError("PARSE_ERROR", `No record in ${path} can be read.`);
  const head = facts.head(source);
  if (head === undefined) return undefined;
  const usage = usageOf(source, facts, head);
  return {
    head,
    messages: () => messagesOf(path, facts.sawForkPoint ? facts.header.forkedAt : undefined),
    usage: () => usage,
    raw: () => ({ records: rawLines(path), settings: objectIn(settingsFileOf(path)) }),
  };
}

/**
 * Droid keeps one sum per session. A fork begins with nothing, and sub-agents have sums of their own. A session that continues
 * another from its summary begins with the other's sum.
 */
function usageOf({ sessionId, path }: SessionSource, { header, lastMs }: HeadFacts, head: SessionHead): UsageRecord[] {
  const { forkedFrom, forkedAt } = header;
  const isContinuation = forkedFrom !== undefined && forkedAt === undefined;
  const before = isContinuation ? tokensOf(join(dirname(path), sessionFileOf(basename(forkedFrom)))) : undefined;
  const sum = tokensOf(path);
  const tokens = sum && tokensWithout(sum, before === undefined ? [] : [before]);
  if (tokens === undefined || Object.values(tokens).every((count) => count === 0)) return [];
  return [{ key: sessionId, tokens, ...optional("model", head.model), ...optional("at", lastMs) }];
}

function tokensOf(sessionFile: string): TokenCounts | undefined {
  return settingsFacts(objectIn(settingsFileOf(sessionFile)) ?? {}).tokens;
}

/** Messages up to the one at which a fork was made are inherited. */
function* messagesOf(path: string, forkedAt: string | undefined): Generator<SessionMessage> {
  const calls = new CallIndex();
  let isCopied = forkedAt !== undefined;
  // A call's output is in the next record, so each message waits for the one after it.
  let waiting: SessionMessage[] = [];
  for (const fields of recordsIn(path)) {
    const record = recordIn(fields);
    if (record.is === "message" && isCopied) isCopied = record.message.previousId !== forkedAt;
    const common = isCopied ? { inherited: true } : {};
    if (record.is === "compaction") {
      yield* waiting;
      const content = record.summary ?? "The conversation was compacted.";
      waiting = [{ role: "system", content, ...withTimestamp(record.at), ...common }];
    } else if (record.is === "message") {
      const { message } = record;
      const built = [...build(message, calls)].map((each) => ({ ...each, ...common }));
      if (message.results.length === 0) {
        yield* waiting;
        waiting = built;
      } else waiting.push(...built);
      if (message.id !== undefined && message.id === forkedAt) isCopied = false;
    }
  }
  yield* waiting;
}

function* build(message: DroidMessage, calls: CallIndex): Generator<SessionMessage> {
  const { text, at, images } = message;
  const time = withTimestamp(at);
  if (message.role === "assistant") {
    const toolCalls = message.calls.map(({ id, name, input }) => ({ toolCallId: id, toolName: name, input }));
    calls.add(toolCalls, at);
    const { model, thinking } = message;
    yield answerMessage({ content: text, toolCalls, model, thinking: thinking || undefined }, time);
    return;
  }
  for (const { id, output, isError } of message.results) {
    // Damage may have taken the call.
    const toolName = calls.answer(id, output, isError, at)?.toolName ?? "tool";
    yield toolMessage({ toolCallId: id, toolName, output, isError }, time);
  }
  if (message.isHidden || !saysMuch(message)) return;
  const role = message.isNotice ? "system" : "user";
  yield { role, content: text, ...time, ...(images.length > 0 ? { images } : {}) };
}
