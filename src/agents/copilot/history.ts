/** Copilot's sessions: found by `discover.ts`, opened here for the list, for their counts, or in full. */
import { basename, dirname, join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import type {
  AgentEnv,
  History,
  ReportedTotal,
  SessionHead,
  SessionReader,
  SessionSource,
  UsageRecord,
} from "../adapter.ts";
import { countMessages, type ParsedSession, readerOf } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { EDGE_BYTES, rawLines, seeEdges } from "../shared/line-file.ts";
import { oldestIsOriginal } from "../shared/source-list.ts";
import { listSessions, type CopilotLocator } from "./discover.ts";
import { readDocument } from "./document.ts";
import { isIgnored, parseEvent, typeOf } from "./format.ts";
import { EventsFile } from "./events-file.ts";
import { copyUpTo } from "./fork-at.ts";
import { HeadBuilder } from "./head.ts";
import { Ledger } from "./ledger.ts";
import { copilotDir, documentedDir, historyStateDir, sessionStateDir, storePath } from "./locations.ts";
import { openStore, readStored } from "./store.ts";

/** Beside a session's events. */
const OWN_FILES = ["checkpoints", "rewind-file-snapshots", "files", "plan.md"];

export const history = {
  roots: (env) => [sessionStateDir(env), historyStateDir(env), documentedDir(env), storePath(env)],
  sessionDir: (env) => sessionStateDir(env),
  listSessions,
  summarize,
  read,
  // Not its locks.
  belongings: ({ path }) =>
    basename(path) === "events.jsonl" ? OWN_FILES.map((name) => join(dirname(path), name)) : [],
  // The note that names a fork's parent is where the copy ends, so head and tail can miss it.
  lineage: oldestIsOriginal,
} satisfies History;

function summarize(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  try {
    if (layoutOf(source) !== "events") return readParsed(source, env)?.head;
    // The full reader counts unknown and damaged lines; counting them here too would double them.
    if (source.files[0]!.size <= EDGE_BYTES) return openEvents(source, env, new ReadNotes())?.head;
    return skim(source, env);
  } catch (error) {
    notes.skip(source.path, error instanceof AgentMuxError ? error.message : `cannot be read (${codeOf(error)})`);
    return undefined;
  }
}

function skim(source: SessionSource, env: AgentEnv): SessionHead | undefined {
  const builder = new HeadBuilder();
  const see = (line: Buffer): void => {
    const event = isIgnored(typeOf(line) ?? "") ? undefined : parseEvent(line);
    if (event) builder.see(event);
  };
  seeEdges(source.path, see, () => builder.hasPrompt);
  if (!builder.sawEvent) throw unreadable(source);
  return builder.hasConversation ? buildHead(builder, source, env) : undefined;
}

function buildHead(builder: HeadBuilder, source: SessionSource, env: AgentEnv): SessionHead {
  return builder.build((source.locator as CopilotLocator).workspace, copilotDir(env));
}

function read(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  if (layoutOf(source) !== "events") {
    const parsed = readParsed(source, env);
    return parsed && readerOf(parsed);
  }
  const opened = openEvents(source, env, notes);
  if (opened === undefined) return undefined;
  const { events, head, usage, reportedTotals } = opened;
  return {
    head,
    messages: () => events.messages(),
    counts: () => countMessages(events.entries),
    usage: () => usage,
    ...(reportedTotals.length > 0 ? { reportedTotals: () => reportedTotals } : {}),
    subagents: () => events.subagents(),
    copyUpTo: (last, { id, at }) => copyUpTo(events, last, { from: source.sessionId, to: id, title: head.title, at }),
    raw: () => rawLines(source.path),
  };
}

interface OpenedEvents {
  events: EventsFile;
  head: SessionHead;
  usage: UsageRecord[];
  reportedTotals: ReportedTotal[];
}

function openEvents(source: SessionSource, env: AgentEnv, notes: ReadNotes): OpenedEvents | undefined {
  const builder = new HeadBuilder();
  const ledger = new Ledger();
  const events = openFile(source, builder, ledger, notes);
  if (!builder.sawEvent && source.files[0]!.size > 0) throw unreadable(source);
  if (!builder.hasConversation) return undefined;
  const stored = openStore(storePath(env)).requests.get(source.sessionId) ?? [];
  const head = buildHead(builder, source, env);
  const { usage, reportedTotals } = ledger.settle(source.sessionId, stored);
  if (usage.length === 0) head.usageUnknown = true;
  return { events, head, usage, reportedTotals };
}

function unreadable(source: SessionSource): AgentMuxError {
  return new AgentMuxError("PARSE_ERROR", `No event in ${source.path} can be read.`);
}

function openFile(source: SessionSource, builder: HeadBuilder, ledger: Ledger, notes: ReadNotes): EventsFile {
  try {
    return new EventsFile(source.path, source.sessionId, builder, ledger, notes);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") throw new AgentMuxError("SESSION_NOT_FOUND", `${source.path} is gone.`, { cause: error });
    throw new AgentMuxError("PARSE_ERROR", `${source.path} cannot be read (${code}).`, { cause: error });
  }
}

function layoutOf(source: SessionSource): CopilotLocator["layout"] {
  return (source.locator as CopilotLocator).layout;
}

function readParsed(source: SessionSource, env: AgentEnv): ParsedSession | undefined {
  if (layoutOf(source) === "stored") return readStored(source.path, source.sessionId);
  return readDocument(source.path, source.sessionId, copilotDir(env));
}
