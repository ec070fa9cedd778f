/** Reads OpenClaw's sessions as Pi session trees, from any location. */
import { basename, join } from "node:path";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { memoryRecords, openTree, summarizeTree, type TreeOptions, type TreeReader } from "../shared/jsonl-tree.ts";
import type { TreeHeader } from "../shared/tree-format.ts";
import { fileRecords, summarizeFiles } from "../shared/tree-file.ts";
import { readDocument, summarizeDocument } from "./channel-document.ts";
import { listSessions } from "./discover.ts";
import { isCopied, locatorOf, type About, type Transcript } from "./locator.ts";
import { stateDirectories, topSessions } from "./locations.ts";
import { promptText } from "./prompt-text.ts";
import { loadOpening, loadRecords } from "./record-loading.ts";
import { parseTranscriptName } from "./transcript-names.ts";

export const history: History = {
  roots: (env) => stateDirectories(env).flatMap((state) => [join(state.path, "agents"), topSessions(state)]),
  sessionDir: (env) => join(stateDirectories(env)[0]!.path, "agents"),
  listSessions,
  summarize,
  read,
};

const USER_TEXT = { userText: promptText } satisfies TreeOptions;

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const { transcript, about } = locatorOf(source);
  switch (transcript.kind) {
    case "rows":
      return withAbout(transcript.head, undefined, about);
    case "document":
      return summarizeDocument(source.path, source.sessionId, notes);
    case "file": {
      const summary = summarizeFiles([source.path], notes, USER_TEXT);
      return summary && withAbout(summary.head, summary.header, about);
    }
    case "compressed":
    case "blob": {
      const opening = loadOpening(source.path, transcript, notes);
      if (opening === undefined) return undefined;
      const { head, header, hasConversation } = summarizeTree(opening.records, USER_TEXT);
      if (!hasConversation && opening.whole) return undefined;
      if (!opening.whole) delete head.updatedMs;
      return withAbout(head, header, about);
    }
  }
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const { transcript, about } = locatorOf(source);
  if (transcript.kind === "document") return readDocument(source.path, source.sessionId, transcript.channel, notes);
  const tree = open(source.path, transcript, about, notes);
  return tree && { ...tree, head: withAbout(tree.head, tree.header, about) };
}

function open(
  path: string,
  transcript: Exclude<Transcript, { kind: "document" }>,
  { fork }: About,
  notes: ReadNotes,
): TreeReader | undefined {
  if (transcript.kind === "file") return openTree(fileRecords([path], notes), notes, USER_TEXT);
  return openTree(memoryRecords(loadRecords(path, transcript, notes)), notes, {
    ...USER_TEXT,
    ...(fork ? { isCopied: (entry) => isCopied(entry.at, fork) } : {}),
  });
}

function withAbout(head: SessionHead, header: TreeHeader | undefined, about: About): SessionHead {
  return {
    ...head,
    title: sessionTitle(about.name, head.title),
    ...(about.archived ? { archived: true } : {}),
    ...optional("parentId", about.parentId),
    ...optional("forkedFrom", about.fork?.from ?? parentIn(header)),
  };
}

/** Files name the session they continue or fork by path; the file name is enough. */
function parentIn(header: TreeHeader | undefined): string | undefined {
  const path = header?.parentSession;
  return path === undefined ? undefined : parseTranscriptName(basename(path.replaceAll("\\", "/")))?.id;
}
