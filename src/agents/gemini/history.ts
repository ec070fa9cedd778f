/** Gemini's sessions: found by `discover.ts`, opened here for a list or in full. */
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource, UsageRecord } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import type { Chat } from "./chat.ts";
import { openChatFile, skimChatFile } from "./chat-file.ts";
import { listSessions, type GeminiLocator } from "./discover.ts";
import { openDocument, skimDocument } from "./document.ts";
import { copyUpTo } from "./fork-at.ts";
import { headOf, usageOf } from "./head.ts";
import { countMessages } from "./message.ts";
import { documentedDir, geminiDir, projectsDir } from "./locations.ts";
import { chatsDirectory } from "./projects.ts";
import { openSavedChat } from "./saved-chat.ts";

export const history = {
  roots: (env) => [projectsDir(env), documentedDir(env)],
  sessionDir: (env, cwd) => (cwd === undefined ? undefined : chatsDirectory(geminiDir(env), cwd)) ?? projectsDir(env),
  listSessions,
  summarize,
  read,
  lineage: (family) => importedFrom(family),
} satisfies History;

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const locator = source.locator as GeminiLocator;
  // Both files are small; the full reader notes their damage.
  if (locator.saved) return headOf(openSavedChat(locator.saved, new ReadNotes()).replay, locator);
  for (const path of locator.chats) {
    try {
      const { replay, whole } = isDocument(path) ? skimDocument(path) : skimChatFile(path);
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
  const opened = open(source, notes);
  if (opened === undefined) return undefined;
  const { chats, main, head, usage } = opened;
  return {
    head,
    messages: () => main.messages(),
    counts: () => countMessages(main.replay.view()),
    usage: () => usage,
    copyUpTo: (last, { at }) => copyUpTo(main, last, at),
    raw: () => (chats.length === 1 ? main.raw() : chats.map((chat) => chat.raw())),
  };
}

interface OpenedSession {
  /** All files of the session, including the one with the conversation. */
  chats: Chat[];
  main: Chat;
  head: SessionHead;
  usage: UsageRecord[];
}

function open(source: SessionSource, notes: ReadNotes): OpenedSession | undefined {
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
  return { chats, main, head, usage };
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

/** `--session-file` copies a chat under a new id and leaves no pointer: the chat that was begun first is the source. */
function importedFrom(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const [original, ...copies] = [...family].sort((a, b) => (a.head.startedMs ?? 0) - (b.head.startedMs ?? 0));
  return new Map(original && copies.map((copy) => [copy.source.sessionId, original.source.sessionId]));
}
