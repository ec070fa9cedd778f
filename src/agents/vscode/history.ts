/** VS Code's chats: a file each, in the folder of their workspace. */
import { basename, dirname, extname, join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { codeOf, filesIn, foldersIn } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { asObject, type Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { documentIn, headOrSkip } from "../shared/document-file.ts";
import { recordsIn } from "../shared/line-file.ts";
import { answerMessage, toolMessage, withTimestamp } from "../shared/message-fields.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { fileSource } from "../shared/source-list.ts";
import { chatOf, folderIn, type Part, type Request } from "./format.ts";
import { CHATS, emptyWindowsDir, roots, userDirs, workspacesDir } from "./locations.ts";
import { replay } from "./mutation-log.ts";

const LOG = ".jsonl";

interface Locator {
  cwd?: string;
}

export const history = {
  roots,
  sessionDir: (env) => workspacesDir(userDirs(env)[0]!),
  listSessions,
  summarize: (source, _env, notes) => summarize(source, notes),
  read: (source, _env, notes) => read(source, notes),
} satisfies History;

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const sources = new Map<string, SessionSource>();
  for (const folder of chatFolders(env, notes)) {
    const files = filesIn(folder.path, (name) => name.endsWith(".json") || name.endsWith(LOG), notes.onProblem);
    for (const file of files) {
      const id = basename(file.path, extname(file.path));
      const source = { ...fileSource(id, file, folder.locator), ...optional("elsewhere", folder.locator.cwd) };
      // A chat is in two places after its window got a workspace, and in two forms after an update.
      const other = sources.get(id);
      if (other === undefined || isNewer(source, other)) sources.set(id, source);
    }
  }
  return [...sources.values()];
}

function isNewer(source: SessionSource, other: SessionSource): boolean {
  if (dirname(source.path) === dirname(other.path)) return extname(source.path) === LOG;
  return source.updatedMs > other.updatedMs;
}

function* chatFolders(env: AgentEnv, notes: ReadNotes): Generator<{ path: string; locator: Locator }> {
  for (const userDir of userDirs(env)) {
    for (const workspace of foldersIn(workspacesDir(userDir), notes.onProblem)) {
      const cwd = folderOf(workspace);
      yield { path: join(workspace, CHATS), locator: optional("cwd", cwd) };
    }
    yield { path: emptyWindowsDir(userDir), locator: {} };
  }
}

function folderOf(workspace: string): string | undefined {
  try {
    return folderIn(parseObject(readText(join(workspace, "workspace.json"))));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    // A window without a folder has none.
    return undefined;
  }
}

interface Opened {
  head: SessionHead;
  requests: Request[];
  raw: Json;
}

function summarize(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  return headOrSkip(source, notes, (quiet) => open(source, quiet)?.head);
}

function read(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  const opened = open(source, notes);
  if (opened === undefined) return undefined;
  const { head, requests, raw } = opened;
  const messages = requests.filter(({ isUndone }) => !isUndone).flatMap((request) => [...messagesOf(request, notes)]);
  return readerOf({ head, messages, usage: [], raw });
}

/** Throws PARSE_ERROR if there is nothing to read. Undefined if nothing was said. */
function open({ path, locator, updatedMs }: SessionSource, notes: ReadNotes): Opened | undefined {
  const raw = path.endsWith(LOG) ? documentInLog(path, notes) : documentIn(path, notes);
  if (raw === undefined) throw new AgentMuxError("PARSE_ERROR", `No record in ${path} can be read.`);
  const { title, requests, createdMs, ...chat } = chatOf(raw);
  const kept = requests.filter(({ isUndone }) => !isUndone);
  if (kept.length === 0) return undefined;
  const last = kept.at(-1)!;
  const { cwd } = locator as Locator;
  const head: SessionHead = {
    title: sessionTitle(title, kept[0]!.prompt),
    ...optional("createdMs", createdMs),
    ...optional("startedMs", createdMs),
    updatedMs: last.endMs ?? chat.updatedMs ?? last.at ?? updatedMs,
    ...optional("model", mostUsed(kept.map(({ model }) => model))),
    ...optional("cwd", cwd),
    usageUnknown: true,
  };
  return { head, requests, raw };
}

function documentInLog(path: string, notes: ReadNotes): Json | undefined {
  const onDamage = (): void => notes.damage(path);
  return asObject(replay(recordsIn(path, onDamage), onDamage));
}

function* messagesOf(request: Request, notes: ReadNotes): Generator<SessionMessage> {
  const { prompt, at, endMs, parts, model, error, isCancelled } = request;
  if (prompt !== "") yield { role: "user", content: prompt, ...withTimestamp(at) };
  for (const step of stepsOf(parts, notes)) yield* answerOf(step, model, at);
  const end = withTimestamp(endMs ?? at);
  if (isCancelled) yield { role: "system", content: "Interrupted", ...end };
  if (error !== undefined) yield { role: "system", content: error, ...end };
}

interface Step {
  text: string;
  thinking: string;
  calls: Extract<Part, { kind: "call" }>["call"][];
}

/** What the model said and then called; what it says after that is another step. */
function stepsOf(parts: readonly Part[], notes: ReadNotes): Step[] {
  const steps: Step[] = [{ text: "", thinking: "", calls: [] }];
  const next = (): Step => {
    if (steps.at(-1)!.calls.length > 0) steps.push({ text: "", thinking: "", calls: [] });
    return steps.at(-1)!;
  };
  for (const part of parts) {
    if (part.kind === "unknown") notes.unknown(`part ${part.name}`);
    else if (part.kind === "call") steps.at(-1)!.calls.push(part.call);
    else if (part.text !== "") next()[part.kind === "thinking" ? "thinking" : "text"] += part.text;
  }
  return steps.filter(({ text, thinking, calls }) => text !== "" || thinking !== "" || calls.length > 0);
}

function* answerOf({ text, thinking, calls }: Step, model: string | undefined, at: number | undefined) {
  const time = withTimestamp(at);
  const toolCalls = calls.map(({ id, name, input, output, hasFailed }) => ({
    toolCallId: id,
    toolName: name,
    input,
    ...optional("output", output),
    ...(hasFailed ? { isError: true } : {}),
  }));
  yield answerMessage({ content: text, thinking: thinking || undefined, toolCalls, model }, time);
  for (const { id, name, output, hasFailed } of calls) {
    if (output !== undefined) yield toolMessage({ toolCallId: id, toolName: name, output, isError: hasFailed }, time);
  }
}
