/** Sessions of the Cline CLI: a folder each, with the session's facts, its messages, and those of its sub-agents. */
import { basename, dirname, join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage, SubagentTranscript } from "../../core/session.ts";
import { codeOf, filesIn, foldersIn, isNothingAt } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES } from "../../lib/fs/foreign-file.ts";
import type { Json } from "../../lib/json/fields.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource, UsageRecord } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { documentIn, headOrSkip } from "../shared/document-file.ts";
import { answerMessage, CallIndex, tokenUsage, toolMessage, withTimestamp } from "../shared/message-fields.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { lastChange } from "../shared/source-list.ts";
import {
  agentIdIn,
  type ClineMessage,
  compactionFile,
  isMessages,
  isMessagesFile,
  manifestFacts,
  manifestFile,
  messageIn,
  messagesFile,
  messagesIn,
  type Summary,
  summaryIn,
} from "./format.ts";
import { sessionsDir } from "./locations.ts";

export const history = {
  roots: (env) => [sessionsDir(env)],
  sessionDir: (env) => sessionsDir(env),
  listSessions,
  summarize,
  read,
  lineage,
} satisfies History;

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  return foldersIn(sessionsDir(env), notes.onProblem).flatMap((folder) => {
    const sessionId = basename(folder);
    const facts = new Set([manifestFile(sessionId), compactionFile(sessionId)]);
    const files = filesIn(folder, (name) => facts.has(name) || isMessagesFile(name), notes.onProblem);
    const own = files.find(({ path }) => basename(path) === messagesFile(sessionId));
    if (own === undefined) return [];
    return [{ sessionId, path: own.path, files, updatedMs: lastChange(files) }];
  });
}

function manifestOf({ path, sessionId }: SessionSource): Json {
  return objectIn(join(dirname(path), manifestFile(sessionId)), MAX_DOCUMENT_BYTES) ?? {};
}

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  return headOrSkip(source, notes, (quiet) => headOf(source, messagesOf(documentOf(source.path, quiet))));
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const { path, sessionId } = source;
  const document = documentOf(path, notes);
  const messages = messagesOf(document);
  const head = headOf(source, messages);
  if (head === undefined) return undefined;
  const subagents = source.files.flatMap((file) => {
    const name = basename(file.path);
    if (!isMessagesFile(name) || name === messagesFile(sessionId)) return [];
    const said = objectIn(file.path, MAX_DOCUMENT_BYTES);
    if (said === undefined) notes.skip(file.path, "holds no readable record");
    return said === undefined ? [] : [{ id: agentIdIn(name), messages: messagesOf(said) }];
  });
  const manifest = manifestOf(source);
  const isCopy = copyTest(manifest);
  // Of a killed first turn, only the session's own file has the prompt.
  const typed: SessionMessage[] =
    messages.length > 0
      ? withSummary(conversation(messages, isCopy), summaryOf(source), isCopy)
      : [{ role: "user", content: manifestFacts(manifest).prompt ?? "" }];
  return readerOf({
    head,
    messages: typed,
    usage: [
      ...usageOf(messages, sessionId, undefined, isCopy),
      ...subagents.flatMap(({ id, messages: theirs }) => usageOf(theirs, sessionId, id)),
    ],
    ...(subagents.length === 0 ? {} : { subagents: subagents.map(transcriptOf) }),
    raw: { manifest, ...document },
  });
}

function documentOf(path: string, notes: ReadNotes): Json {
  let document: Json | undefined;
  try {
    document = documentIn(path, notes);
  } catch (error) {
    const code = isNothingAt(path) ? "SESSION_NOT_FOUND" : "PARSE_ERROR";
    throw new AgentMuxError(code, `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (document === undefined || !isMessages(document)) {
    throw new AgentMuxError("PARSE_ERROR", `${path} holds no readable record.`);
  }
  return document;
}

function messagesOf(document: Json): ClineMessage[] {
  return messagesIn(document).map(messageIn);
}

function headOf(source: SessionSource, messages: readonly ClineMessage[]): SessionHead | undefined {
  const { title, prompt, startedMs, ...facts } = manifestFacts(manifestOf(source));
  const first = messages.find((message) => message.role === "user" && message.results.length === 0);
  const typed = first?.text ?? prompt;
  if (typed === undefined) return undefined;
  const replies = messages.filter((message) => message.role === "assistant" && !message.isNotice);
  const createdMs = facts.createdMs ?? first?.at;
  return {
    title: sessionTitle(title, typed),
    updatedMs: messages.at(-1)?.at ?? source.updatedMs,
    ...facts,
    ...optional("createdMs", createdMs),
    ...optional("startedMs", startedMs ?? createdMs),
    ...optional("model", mostUsed(replies.map(({ model }) => model)) ?? facts.model),
    ...optional("familyKeys", first?.id === undefined ? undefined : [first.id]),
    ...(replies.length > 0 && replies.every(({ tokens }) => tokens === undefined) ? { usageUnknown: true } : {}),
  };
}

type CopyTest = (at: number | undefined) => boolean;

/** Forks and restored checkpoints begin with copies of messages, which keep their times and ids. A resume keeps the start. */
function copyTest(manifest: Json): CopyTest {
  const { createdMs } = manifestFacts(manifest);
  return (at) => createdMs !== undefined && at !== undefined && at < createdMs;
}

/**
 * A restored checkpoint is a new session without a pointer. Its parent is the one that wrote the last of the copied messages.
 */
function lineage(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const owners = new Map<string, string>();
  const lastCopies = new Map<string, string>();
  for (const { source } of family) {
    const isCopy = copyTest(manifestOf(source));
    for (const { id, at } of messagesOf(objectIn(source.path, MAX_DOCUMENT_BYTES) ?? {})) {
      if (id === undefined) continue;
      if (isCopy(at)) lastCopies.set(source.sessionId, id);
      else owners.set(id, source.sessionId);
    }
  }
  return new Map(
    [...lastCopies].flatMap(([child, id]): [string, string][] => {
      const parent = owners.get(id);
      return parent === undefined ? [] : [[child, parent]];
    }),
  );
}

function summaryOf({ path, sessionId }: SessionSource): Summary | undefined {
  return summaryIn(objectIn(join(dirname(path), compactionFile(sessionId)), MAX_DOCUMENT_BYTES) ?? {});
}

/** The messages stay complete; the summary is shown where it was made. */
function withSummary(messages: SessionMessage[], summary: Summary | undefined, isCopy: CopyTest): SessionMessage[] {
  if (summary === undefined) return messages;
  const { text, at } = summary;
  const shown: SessionMessage = { role: "system", content: text, ...withTimestamp(at), ...inherited(isCopy(at)) };
  const next = at === undefined ? -1 : messages.findIndex(({ timestamp }) => (timestamp?.getTime() ?? 0) > at);
  return next === -1 ? [...messages, shown] : messages.toSpliced(next, 0, shown);
}

function inherited(isCopy: boolean): { inherited?: true } {
  return isCopy ? { inherited: true } : {};
}

function conversation(messages: readonly ClineMessage[], isCopy: CopyTest = () => false): SessionMessage[] {
  const calls = new CallIndex();
  return messages.flatMap((message) => [...build(message, calls, isCopy)]);
}

function* build(message: ClineMessage, calls: CallIndex, isCopy: CopyTest): Generator<SessionMessage> {
  const { text: content, at, images, model, tokens } = message;
  const common = { ...withTimestamp(at), ...inherited(isCopy(at)) };
  if (message.isNotice) yield { role: "system", content, ...common };
  else if (message.role === "assistant") {
    const toolCalls = message.calls.map(({ id, name, input }) => ({ toolCallId: id, toolName: name, input }));
    calls.add(toolCalls, at);
    const thinking = message.thinking || undefined;
    yield answerMessage({ content, toolCalls, model, thinking, tokenUsage: tokens && tokenUsage(tokens) }, common);
  } else {
    for (const { id, name, output, isError } of message.results) {
      calls.answer(id, output, isError, at);
      yield toolMessage({ toolCallId: id, toolName: name, output, isError }, common);
    }
    if (content !== "" || images.length > 0)
      yield { role: "user", content, ...common, ...(images.length > 0 ? { images } : {}) };
  }
}

function usageOf(
  messages: readonly ClineMessage[],
  sessionId: string,
  subagent: string | undefined,
  isCopy: CopyTest = () => false,
): UsageRecord[] {
  return messages.flatMap(({ id, at, model, tokens, microUsd }, index) =>
    tokens === undefined
      ? []
      : [
          {
            key: id ?? `${sessionId} ${subagent ?? ""} ${index}`,
            tokens,
            ...optional("at", at),
            ...optional("model", model),
            ...optional("reportedMicroUsd", microUsd),
            ...optional("subagent", subagent),
            ...(isCopy(at) ? { copied: true } : {}),
          },
        ],
  );
}

function transcriptOf({ id, messages }: { id: string; messages: readonly ClineMessage[] }): SubagentTranscript {
  return { id, ...optional("model", mostUsed(messages.map(({ model }) => model))), messages: conversation(messages) };
}
