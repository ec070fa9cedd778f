/** Continue's sessions: a document each, and a list of all. */
import { basename, join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf, filesIn } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseJson } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { documentIn, headOrSkip } from "../shared/document-file.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { fileSource } from "../shared/source-list.ts";
import { datesIn, documentOf, itemOf, type Item, type Total } from "./format.ts";
import { sessionsDir } from "./locations.ts";
import { messagesOf } from "./messages.ts";
import { copiedIn, familyKey, usageOf } from "./usage.ts";

/** The list of all sessions, beside them. */
const LIST = "sessions.json";

export const history = {
  roots: (env) => [sessionsDir(env)],
  sessionDir: (env) => sessionsDir(env),
  listSessions,
  summarize: (source, _env, notes) => summarize(source, notes),
  read: (source, _env, notes) => read(source, notes),
  // `cn --fork` copies a session under a new id and leaves no pointer.
  lineage,
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
  total: Total | undefined;
  raw: Json;
}

function summarize(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  return headOrSkip(source, notes, (quiet) => open(source, quiet)?.head);
}

function read(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  const opened = open(source, notes);
  if (opened === undefined) return undefined;
  const { head, items, total, raw } = opened;
  return readerOf({
    head,
    messages: [...messagesOf(items, notes)],
    usage: usageOf(items, total, source.sessionId, head.createdMs ?? source.updatedMs),
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
    ...(family === undefined
      ? {}
      : { familyKeys: copiedIn(items, total) === 0 ? [family] : [family, copyKey(source.sessionId)] }),
    ...((total && total.input + total.output > 0) || items.some(({ tokens }) => tokens) ? {} : { usageUnknown: true }),
  };
  return { head, items, total, raw };
}

/** Marks a session that begins with answers of another one. No other session has this key. */
function copyKey(sessionId: string): string {
  return `copy ${sessionId}`;
}

/** Sessions that begin alike may have nothing to do with each other: only copies have a parent. */
function lineage(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const isCopy = ({ source, head }: (typeof family)[number]): boolean =>
    head.familyKeys?.includes(copyKey(source.sessionId)) === true;
  const [original] = family
    .filter((one) => !isCopy(one))
    .sort((a, b) => (a.head.startedMs ?? 0) - (b.head.startedMs ?? 0));
  return new Map(original && family.filter(isCopy).map(({ source }) => [source.sessionId, original.source.sessionId]));
}
