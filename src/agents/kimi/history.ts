/** Kimi Code's sessions: a folder each, with its state and the log of every agent in it. */
import { basename, join } from "node:path";
import type { SubagentTranscript } from "../../core/session.ts";
import { codeOf, entriesOf, fileStat, foldersIn } from "../../lib/fs/directory.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource, UsageRecord } from "../adapter.ts";
import { countMessages } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { rawLines, seeEdges } from "../shared/line-file.ts";
import { mostUsed } from "../shared/model-uses.ts";
import { firstOfEach, lastChange } from "../shared/source-list.ts";
import { fileRecords, type FileLocation } from "../shared/tree-file.ts";
import { isKimiRecord, stateOf } from "./format.ts";
import { Log, rolesOf, type Row } from "./log.ts";
import { sessionsDir } from "./locations.ts";
import { messagesOf } from "./messages.ts";

interface KimiLocator {
  state: string;
  /** The logs of its sub-agents. */
  helpers: string[];
}

const MAIN = "main";
const LOG = "wire.jsonl";

export const history = {
  roots: (env) => [sessionsDir(env)],
  sessionDir: (env) => sessionsDir(env),
  listSessions,
  isWitnessed: true,
  summarize,
  read,
  bytes: { files: ({ files }) => files.map(({ path }) => path), ownWords: "[image] [file]" },
} satisfies History;

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const folders = foldersIn(sessionsDir(env), notes.onProblem).filter((path) => basename(path).startsWith("wd_"));
  return firstOfEach(
    folders.flatMap((folder) => foldersIn(folder, notes.onProblem)).flatMap((folder) => sourceOf(folder, notes) ?? []),
  );
}

function sourceOf(folder: string, notes: ReadNotes): SessionSource | undefined {
  const agents = join(folder, "agents");
  const logs = entriesOf(agents, notes.onProblem)
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => fileStat(join(agents, name, LOG), notes.onProblem) ?? []);
  const main = logs.find(({ path }) => path === join(agents, MAIN, LOG));
  if (main === undefined) return undefined;
  const helpers = logs.filter((log) => log !== main);
  const state = fileStat(join(folder, "state.json"), notes.onProblem);
  const files = [main, ...helpers, ...(state ? [state] : [])];
  const locator: KimiLocator = { state: join(folder, "state.json"), helpers: helpers.map(({ path }) => path) };
  return { sessionId: basename(folder), path: main.path, files, updatedMs: lastChange(files), locator };
}

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const log = new Log<undefined>();
  let [read, other] = [0, 0];
  try {
    const see = (line: Buffer): void => {
      const record = parseRecord(line);
      if (record !== undefined && isKimiRecord(record)) {
        read++;
        log.see(record, undefined);
      } else other++;
    };
    seeEdges(source.path, see, () => log.firstPrompt !== undefined);
  } catch (error) {
    notes.skip(source.path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
  if (read === 0 && other > 0) notes.skip(source.path, "holds no readable record");
  return headOf(log, source);
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const { helpers } = source.locator as KimiLocator;
  const main = openLog(source.path, notes);
  const head = headOf(main.log, source);
  if (head === undefined) return undefined;
  const opened = helpers.flatMap((path) => openHelper(path, notes) ?? []);
  const usage = [...main.log.usage.values(), ...opened.flatMap(({ id, log }) => billOf(id, log))];
  return {
    head,
    messages: () => main.messages(main.log.rows),
    counts: () => countMessages(rolesOf(main.log.rows)),
    aside: () => ({
      count: countMessages(rolesOf(main.log.aside)).messageCount,
      messages: () => main.messages(main.log.aside),
    }),
    usage: () => usage,
    ...(opened.length === 0
      ? {}
      : { subagents: () => opened.map((helper): SubagentTranscript => transcriptOf(helper, main.log)) }),
    raw: () => rawLines(source.path),
  };
}

interface OpenLog {
  log: Log<FileLocation>;
  messages(rows: readonly Row<FileLocation>[]): ReturnType<typeof messagesOf>;
}

function openLog(path: string, notes: ReadNotes): OpenLog {
  const records = fileRecords([path], notes, isKimiRecord);
  const log = new Log<FileLocation>();
  for (const { record, place } of records.scan()) if (isKimiRecord(record)) log.see(record, place, notes);
  return { log, messages: (rows) => messagesOf(rows, (places) => records.fetch(places)) };
}

interface OpenHelper extends OpenLog {
  id: string;
}

function openHelper(path: string, notes: ReadNotes): OpenHelper | undefined {
  try {
    return { id: basename(join(path, "..")), ...openLog(path, notes) };
  } catch (error) {
    notes.skip(path, (error as Error).message);
    return undefined;
  }
}

/** Sub-agents have logs of their own, so their keys need their names. */
function billOf(subagent: string, { usage }: Log<unknown>): UsageRecord[] {
  return [...usage.values()].map((record) => ({ ...record, key: `${subagent} ${record.key}`, subagent }));
}

function transcriptOf({ id, log, messages }: OpenHelper, parent: Log<unknown>): SubagentTranscript {
  const { label, toolCallId } = parent.helpers.get(id) ?? {};
  return {
    id,
    ...optional("label", label),
    ...optional("toolCallId", toolCallId),
    ...optional("model", mostUsed(log.models)),
    messages: [...messages(log.rows)],
  };
}

/** Undefined if nothing was said. The state may lag behind the log. */
function headOf(log: Log<unknown>, source: SessionSource): SessionHead | undefined {
  if (log.firstPrompt === undefined && !log.rows.some(({ says }) => says)) return undefined;
  const state = stateOf(objectIn((source.locator as KimiLocator).state));
  return {
    title: sessionTitle(state.title, log.firstPrompt),
    ...optional("createdMs", state.createdMs ?? log.firstMs),
    ...optional("updatedMs", log.lastMs ?? state.updatedMs),
    ...optional("startedMs", state.createdMs ?? log.firstMs),
    ...optional("model", mostUsed(log.models)),
    ...optional("cwd", state.cwd),
    ...(state.archived ? { archived: true } : {}),
    ...optional("forkedFrom", state.forkedFrom),
    ...(log.firstMs === undefined ? {} : { familyKeys: [`${log.firstMs}`] }),
  };
}
