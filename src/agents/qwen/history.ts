/** Qwen Code's sessions: a file each, and one beside it for each of its sub-agents. */
import { basename, dirname, join } from "node:path";
import type { SubagentTranscript } from "../../core/session.ts";
import { codeOf, entriesOf, filesIn, foldersIn, type FileStat } from "../../lib/fs/directory.ts";
import type { Json } from "../../lib/json/fields.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, ForkAt, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { countMessages } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { rawLines, recordsIn, seeEdges } from "../shared/line-file.ts";
import { firstOfEach, lastChange } from "../shared/source-list.ts";
import { fileRecords } from "../shared/tree-file.ts";
import { messagesOf, RecordTree, rolesOf, type Node } from "./conversation.ts";
import { forkedRecord, isQwenRecord, subagentFacts, typeOf } from "./format.ts";
import { HeadCollector } from "./head.ts";
import { bucketOf, projectDir, projectsDir } from "./locations.ts";
import { Bill } from "./usage.ts";

interface QwenLocator {
  archived: boolean;
  /** The transcripts of its sub-agents. */
  subagents: string[];
}

export const history = {
  roots: (env) => [projectsDir(env)],
  sessionDir: (env, cwd) => (cwd === undefined ? projectsDir(env) : join(projectDir(env, cwd), "chats")),
  listSessions,
  isWitnessed: true,
  summarize,
  read,
  bytes: { files: ({ files }) => files.map(({ path }) => path), ownWords: "[image] [file]" },
} satisfies History;

function listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[] {
  const folders = foldersIn(projectsDir(env), notes.onProblem);
  const wanted = cwd === undefined ? folders : folders.filter((folder) => basename(folder) === bucketOf(cwd));
  return firstOfEach(wanted.flatMap((folder) => chatsOf(folder, notes)));
}

const isChat = (name: string): boolean => name.endsWith(".jsonl");

function chatsOf(folder: string, notes: ReadNotes): SessionSource[] {
  const chats = join(folder, "chats");
  const helpers = join(folder, "subagents");
  const withHelpers = new Set(entriesOf(helpers, notes.onProblem).map((entry) => entry.name));
  const sourceOf = (chat: FileStat, archived: boolean): SessionSource => {
    const sessionId = basename(chat.path, ".jsonl");
    const subagents = withHelpers.has(sessionId) ? filesIn(join(helpers, sessionId), isChat, notes.onProblem) : [];
    const files = [chat, ...subagents];
    const locator: QwenLocator = { archived, subagents: subagents.map(({ path }) => path) };
    return { sessionId, path: chat.path, files, updatedMs: lastChange(files), locator };
  };
  return [
    ...filesIn(chats, isChat, notes.onProblem).map((chat) => sourceOf(chat, false)),
    ...filesIn(join(chats, "archive"), isChat, notes.onProblem).map((chat) => sourceOf(chat, true)),
  ];
}

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const collector = new HeadCollector();
  let [read, other] = [0, 0];
  try {
    const see = (line: Buffer): void => {
      const record = parseRecord(line);
      if (record !== undefined && isQwenRecord(record)) {
        read++;
        collector.see(record);
      } else other++;
    };
    seeEdges(source.path, see, () => collector.hasPrompt);
  } catch (error) {
    notes.skip(source.path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
  if (read === 0 && other > 0) notes.skip(source.path, "holds no readable record");
  return collector.head((source.locator as QwenLocator).archived);
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const { archived, subagents } = source.locator as QwenLocator;
  const records = fileRecords([source.path], notes, isQwenRecord);
  const collector = new HeadCollector();
  const tree = new RecordTree<Place>();
  const bill = new Bill();
  for (const { record, place } of records.scan()) {
    if (!isQwenRecord(record)) continue;
    collector.see(record);
    bill.see(record);
    tree.add(record, place);
    if (tree.nodes.at(-1)!.kind === undefined) notes.unknown(typeOf(record));
  }
  const head = collector.head(archived);
  if (head === undefined) return undefined;
  for (const path of subagents) seeHelper(path, bill, notes);
  const path = tree.path();
  const onPath = new Set(path);
  const beside = tree.nodes.filter((node) => !onPath.has(node));
  const along = (nodes: readonly Node<Place>[]) => messagesOf(records.fetch(placesOf(nodes)));
  return {
    head,
    messages: () => along(path),
    counts: () => countMessages(rolesOf(path)),
    aside: () => ({ count: countMessages(rolesOf(beside)).messageCount, messages: () => along(beside) }),
    usage: () => bill.records(),
    ...(subagents.length === 0 ? {} : { subagents: () => subagents.map(transcriptOf) }),
    raw: () => rawLines(source.path),
    copyUpTo: (last, { id }) => copyUpTo(records.fetch(placesOf(upTo(path, last))), id),
  };
}

type Place = { file: number; offset: number; length: number };

function placesOf(nodes: readonly Node<Place>[]): Place[] {
  return nodes.map(({ place }) => place);
}

function upTo(path: readonly Node<Place>[], last: number): Node<Place>[] {
  let left = last + 1;
  const end = path.findIndex(({ count }) => (left -= count) <= 0);
  return path.slice(0, end + 1);
}

function seeHelper(path: string, bill: Bill, notes: ReadNotes): void {
  try {
    for (const record of recordsIn(path, () => notes.damage(path))) bill.see(record, helperId(path));
  } catch (error) {
    notes.skip(path, `cannot be read (${codeOf(error)})`);
  }
}

function helperId(path: string): string {
  return basename(path, ".jsonl").replace(/^agent-/, "");
}

function transcriptOf(path: string): SubagentTranscript {
  const { label, toolCallId, model } = subagentFacts(objectIn(path.replace(/\.jsonl$/, ".meta.json")));
  return {
    id: helperId(path),
    ...optional("label", label),
    ...optional("toolCallId", toolCallId),
    ...optional("model", model),
    messages: [...messagesOf(readable(path))],
  };
}

/** Reading the session has noted what cannot be read. */
function* readable(path: string): Generator<Json> {
  try {
    yield* recordsIn(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
}

/** Forks at a message: a new chat beside the session's own, as `/branch` writes it. */
export const forkAt: ForkAt = {
  newId: () => crypto.randomUUID(),
  place: ({ path }, { id }) => join(dirname(path), `${id}.jsonl`),
  open: ({ id }) => ["qwen", "--resume", id],
};

/** Each record continues the one before it: those of a rewound part are left out. */
function* copyUpTo(records: Iterable<Json | undefined>, to: string): Generator<string> {
  for (const record of records) if (record !== undefined) yield `${JSON.stringify(forkedRecord(record, to))}\n`;
}
