/** Continue's sessions: a document each, and a list of all. */
import { basename, join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { codeOf, filesIn } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseJson } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import { sha256 } from "../../lib/values/sha256.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource, UsageRecord } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { documentIn } from "../shared/document-file.ts";
import { answerMessage, tokenUsage, toolMessage } from "../shared/message-fields.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { fileSource, oldestIsOriginal } from "../shared/source-list.ts";
import { datesIn, documentOf, itemOf, type Item } from "./format.ts";
import { sessionsDir } from "./locations.ts";

/** The list of all sessions, beside them. */
const LIST = "sessions.json";

export const history = {
  roots: (env) => [sessionsDir(env)],
  sessionDir: (env) => sessionsDir(env),
  listSessions,
  summarize: (source, _env, notes) => summarize(source, notes),
  read: (source, _env, notes) => read(source, notes),
  // `cn --fork` copies a session under a new id and leaves no pointer.
  lineage: oldestIsOriginal,
} satisfies History;

interface Locator {
  createdMs?: number;
}

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const folder = sessionsDir(env);
  const files = filesIn(folder, (name) => name.endsWith(".json") && name !== LIST, notes.onProblem);
  const dates = files.length === 0 ? new Map<string, number>() : listedDates(join(folder, LIST));
  return files.map((file) => {
    const sessionId = basename(file.path, ".json");
    const createdMs = dates.get(sessionId);
    const locator: Locator = { ...optional("createdMs", createdMs) };
    return { ...fileSource(sessionId, file, locator), ...optional("elsewhere", createdMs?.toString()) };
  });
}

/** Without the list the sessions have no dates; it is made anew by the next one. */
function listedDates(path: string): Map<string, number> {
  try {
    return datesIn(parseJson(readText(path, MAX_DOCUMENT_BYTES)));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return new Map();
  }
}

interface Opened {
  head: SessionHead;
  items: Item[];
  total: { input: number; output: number };
  raw: Json;
}

function summarize(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  try {
    // The full reader notes damage.
    return open(source, new ReadNotes())?.head;
  } catch (error) {
    notes.skip(source.path, (error as Error).message);
    return undefined;
  }
}

function read(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  const opened = open(source, notes);
  if (opened === undefined) return undefined;
  const { head, items, total, raw } = opened;
  return readerOf({
    head,
    messages: items.flatMap((item) => [...messagesOf(item, notes)]),
    usage: usageOf(items, total, source.sessionId).map((record) => ({
      ...record,
      at: head.createdMs ?? source.updatedMs,
    })),
    raw,
  });
}

/** Throws PARSE_ERROR if there is nothing to read. Undefined if nothing was said. */
function open(source: SessionSource, notes: ReadNotes): Opened | undefined {
  const raw = documentIn(source.path, notes);
  if (raw === undefined) throw new AgentMuxError("PARSE_ERROR", `No record in ${source.path} can be read.`);
  const { title, cwd, items: recorded, total } = documentOf(raw);
  const items = recorded.map(itemOf);
  if (!items.some(({ role }) => role === "user" || role === "assistant")) return undefined;
  const { createdMs } = source.locator as Locator;
  const family = familyKey(items);
  const head: SessionHead = {
    title: sessionTitle(title, items.find(({ role }) => role === "user")?.content),
    ...optional("createdMs", createdMs),
    ...optional("startedMs", createdMs),
    updatedMs: source.updatedMs,
    ...optional("model", mostUsed(items.map(({ model }) => model))),
    ...optional("cwd", cwd),
    ...(family === undefined ? {} : { familyKeys: [family] }),
    ...(total.input + total.output > 0 || items.some(({ tokens }) => tokens) ? {} : { usageUnknown: true }),
  };
  return { head, items, total, raw };
}

/** The conversation up to its first billed answer, with that answer's tokens: only a copy has the same. */
function familyKey(items: readonly Item[]): string | undefined {
  const first = items.findIndex(({ tokens }) => tokens !== undefined);
  return first === -1 ? undefined : digest(items.slice(0, first + 1));
}

function digest(items: readonly Item[]): string {
  return sha256(JSON.stringify(items.map(({ role, content, tokens }) => [role, content, tokens])));
}

function* messagesOf(item: Item, notes: ReadNotes): Generator<SessionMessage> {
  const { role, content, isSummary, calls, images, model, tokens } = item;
  if (isSummary || role === "system") yield { role: "system", content };
  else if (role === "user") yield { role: "user", content, ...images };
  else if (role === "assistant") {
    const toolCalls = calls.map(({ id, name, input, output, hasFailed }) => ({
      toolCallId: id,
      toolName: name,
      input,
      ...optional("output", output),
      ...(hasFailed ? { isError: true } : {}),
    }));
    yield answerMessage({ content, toolCalls, model, tokenUsage: tokens && tokenUsage(tokens) });
    for (const { id, name, output, hasFailed } of calls) {
      if (output !== undefined) yield toolMessage({ toolCallId: id, toolName: name, output, isError: hasFailed });
    }
  } else if (role !== "tool" && role !== "thinking") notes.unknown(`message ${role ?? ""}`);
}

/**
 * Answers have no id. Their text, their tokens and the prompt before them tell them apart, and are the same in a copy. A
 * compaction removes answers; the session's total still has their tokens, without saying which were cached.
 */
function usageOf(items: readonly Item[], total: Opened["total"], sessionId: string): UsageRecord[] {
  const records = new Map<string, UsageRecord>();
  let prompt: Item | undefined;
  for (const item of items) {
    if (item.role === "user") prompt = item;
    const { tokens, model } = item;
    if (tokens === undefined) continue;
    let key = digest(prompt === undefined ? [item] : [prompt, item]);
    while (records.has(key)) key = sha256(key);
    records.set(key, { key, tokens, ...optional("model", model) });
  }
  const billed = [...records.values()];
  const sum = (count: (record: UsageRecord) => number): number => billed.reduce((all, each) => all + count(each), 0);
  const input = total.input - sum(({ tokens }) => tokens.input + tokens.cached + tokens.cacheWrite);
  const output = total.output - sum(({ tokens }) => tokens.output);
  if (input <= 0 || output < 0) return billed;
  const tokens = { input, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output, thinking: 0 };
  const model = mostUsed(items.map((item) => item.model));
  return [{ key: `${sessionId} removed`, tokens, ...optional("model", model) }, ...billed];
}
