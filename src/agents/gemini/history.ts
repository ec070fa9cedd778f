/** Gemini's sessions: found by `discover.ts`, opened here for a list or in full. */
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { optional } from "../../lib/values/optional.ts";
import { sha256 } from "../../lib/values/sha256.ts";
import type { AgentEnv, ForkAt, History, SessionHead, SessionReader, SessionSource, UsageRecord } from "../adapter.ts";
import { countMessages } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { oldestIsOriginal } from "../shared/source-list.ts";
import { type Chat, openChatFile, openDocument, skimChatFile } from "./chat.ts";
import { belongings, type GeminiLocator, listSessions } from "./discover.ts";
import { forkHeader } from "./format.ts";
import { documentedDir, geminiDir, projectsDir } from "./locations.ts";
import { rolesOf, rowsUpTo } from "./message.ts";
import { chatsDirectory } from "./projects.ts";
import type { Replay, Row } from "./replay.ts";
import { openSavedChat } from "./saved-chat.ts";

export const history = {
  roots: (env) => [projectsDir(env), documentedDir(env)],
  sessionDir: (env, cwd) => (cwd === undefined ? undefined : chatsDirectory(geminiDir(env), cwd)) ?? projectsDir(env),
  listSessions,
  summarize,
  read,
  belongings,
  // `--session-file` copies a chat under a new id and leaves no pointer.
  lineage: oldestIsOriginal,
} satisfies History;

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const locator = source.locator as GeminiLocator;
  // Both files are small; the full reader notes their damage.
  if (locator.saved) return headOf(openSavedChat(locator.saved, new ReadNotes()).replay, locator);
  for (const path of locator.chats) {
    try {
      const { replay, whole } = isDocument(path)
        ? { ...openDocument(path, new ReadNotes()), whole: true }
        : skimChatFile(path);
      if (!replay.sawRecord) notes.skip(path, "holds no readable record");
      const head = headOf(replay, locator);
      if (head === undefined) continue;
      // The counts may all be in the part that was not read.
      if (!whole) delete head.usageUnknown;
      return head;
    } catch (error) {
      notes.skip(path, `cannot be read (${codeOf(error)})`);
    }
  }
  return undefined;
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const locator = source.locator as GeminiLocator;
  const chats = locator.saved ? [openSavedChat(locator.saved, notes)] : openChats(locator.chats, notes);
  if (!chats.some((chat) => chat.replay.sawRecord)) {
    throw new AgentMuxError("PARSE_ERROR", `No record in ${source.path} can be read.`);
  }
  // Stubs left by a resume, and chats without a prompt, hold no conversation.
  const main = chats.find((chat) => chat.replay.hasConversation);
  const head = main && headOf(main.replay, locator);
  if (main === undefined || head === undefined) return undefined;
  // The preferred file comes last, so that its counts win.
  const usage = usageOf([...chats].reverse().map((chat) => chat.replay));
  return {
    head,
    messages: () => main.messages(),
    counts: () => countMessages(rolesOf(main.replay.view())),
    usage: () => usage,
    copyUpTo: (last, { at }) => copyUpTo(main, last, at),
    raw: () => (chats.length === 1 ? main.raw() : chats.map((chat) => chat.raw())),
  };
}

function openChats(paths: readonly string[], notes: ReadNotes): Chat[] {
  const chats: Chat[] = [];
  let failure: unknown;
  for (const path of paths) {
    try {
      chats.push(isDocument(path) ? openDocument(path, notes) : openChatFile(path, notes));
    } catch (error) {
      notes.skip(path, `cannot be read (${codeOf(error)})`);
      failure ??= error;
    }
  }
  if (chats.length > 0) return chats;
  const code = codeOf(failure);
  // Gemini CLI's clean-up deletes chats, resumed ones too early.
  if (code === "ENOENT") throw new AgentMuxError("SESSION_NOT_FOUND", `${paths[0]} is gone.`, { cause: failure });
  throw new AgentMuxError("PARSE_ERROR", `${paths[0]} cannot be read (${code}).`, { cause: failure });
}

function isDocument(path: string): boolean {
  return path.endsWith(".json");
}

/**
 * The session-level facts of a replayed chat. Undefined if there is no conversation: a stub left by a resume, or a start without
 * a prompt.
 */
function headOf(replay: Replay<unknown>, locator: GeminiLocator): SessionHead | undefined {
  if (!replay.hasConversation) return undefined;
  const { header, rows, importedMs } = replay;
  const isSubagent = locator.parentId !== undefined || header.kind === "subagent";
  const prompt = replay.view().find(isPrompt) ?? rows.find(isPrompt);
  // A sub-agent's summary is the JSON of its result.
  const summary = isSubagent ? undefined : header.summary;
  const createdMs = header.startMs ?? rows.find((row) => row.at !== undefined)?.at;
  // An import keeps the ids of what it copies.
  const firstId = locator.saved === undefined ? rows.find((row) => row.kind !== "hidden")?.id : undefined;
  return {
    title: sessionTitle(summary, prompt?.opening),
    ...optional("createdMs", createdMs),
    ...optional("updatedMs", header.lastMs ?? createdMs),
    ...optional("startedMs", importedMs ?? header.startMs),
    ...optional("model", mostUsed(rows.map((row) => row.model))),
    ...optional("cwd", locator.cwd ?? projectDirectory(header.directories, header.projectHash)),
    ...optional("parentId", locator.parentId),
    ...(firstId === undefined ? {} : { familyKeys: [firstId] }),
    ...(rows.some((row) => row.tokens !== undefined) ? {} : { usageUnknown: true }),
  };
}

function isPrompt(row: Row<unknown>): boolean {
  return row.kind === "prompt";
}

/** The list also has directories added during the session. */
function projectDirectory(directories: readonly string[], projectHash: string | undefined): string | undefined {
  return directories.find((path) => sha256(path) === projectHash);
}

/**
 * One record per reply ever recorded, including rewound and cancelled ones. A session can have several files; a later count
 * replaces an earlier one.
 */
function usageOf(replays: readonly Replay<unknown>[]): UsageRecord[] {
  const byId = new Map<string, UsageRecord>();
  for (const { rows, importedMs } of replays) {
    for (const { id, at, model, tokens } of rows) {
      if (tokens === undefined) continue;
      const copied = importedMs !== undefined && at !== undefined && at < importedMs;
      byId.set(id, {
        key: id,
        tokens,
        ...optional("at", at),
        ...optional("model", model),
        ...(copied ? { copied } : {}),
      });
    }
  }
  return [...byId.values()];
}

/**
 * Forks at a message: a chat file that ends there, which `--session-file` imports. It contains what Gemini CLI itself would
 * remember: the messages since the last compression.
 */
export const forkAt: ForkAt = {
  fileName: ({ sessionId }) => `session-${sessionId}.jsonl`,
  open: ({ file }) => ["gemini", "--session-file", file],
};

function* copyUpTo({ replay, records }: Chat, last: number, at: Date): Generator<string> {
  const rows = rowsUpTo(replay.view(), last);
  const { projectHash, startMs } = replay.header;
  const startTime = (startMs === undefined ? at : new Date(startMs)).toISOString();
  yield line(forkHeader(projectHash, startTime, at.toISOString()));
  const summary = rows.findLastIndex((row) => row.kind === "summary");
  for (const record of records(rows.slice(Math.max(summary, 0)))) yield line(record);
}

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
