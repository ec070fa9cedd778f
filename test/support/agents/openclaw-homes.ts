/** The recorded homes and their MANIFEST.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionMessage } from "../../../src/core/session.ts";
import type { AgentEnv, SessionHead, SessionReader, SessionSource } from "../../../src/agents/adapter.ts";
import { ReadNotes } from "../../../src/agents/read-notes.ts";
import type { ExpectedTree, RecordedUsage } from "./recorded-trees.ts";
import { history } from "../../../src/agents/openclaw/history.ts";

export const FIXTURES = join(import.meta.dirname, "../../../src/agents/openclaw/fixtures");

interface Expected extends ExpectedTree {
  entries: number;
}

interface Manifest {
  homes: {
    home: string;
    stores: { kind: string; uniqueUsage?: RecordedUsage; sessions: ManifestKey[] }[];
    transcripts: { file: string; state: string; sessionKeys: string[]; expected: Expected }[];
    usageCheck: { sumOverTranscripts: RecordedUsage };
  }[];
}

interface ManifestKey {
  sessionKey: string;
  currentSessionId?: string;
  node?: { label?: string; archived_at?: number };
  entry?: { label?: string };
  windows?: { sessionId: string; indexActiveMessages: number; expected: Expected }[];
}

export interface RecordedSession {
  home: string;
  id: string;
  label: string | undefined;
  archived: boolean;
  expected: Expected;
  /** The count in the agent's own index, where there is one. */
  indexedMessages?: number;
}

const manifest = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as Manifest;

/** Usage of everything in a home, copies counted once. */
export const RECORDED_HOMES = manifest.homes.map(({ home, usageCheck }) => ({
  home,
  usage: usageCheck.sumOverTranscripts,
}));

/** The sessions a user expects in a list: current windows, and transcripts that are no copies. */
export const RECORDED_SESSIONS: RecordedSession[] = manifest.homes.flatMap(({ home, stores, transcripts }) => {
  const keys = stores.flatMap((store) => store.sessions);
  const inDatabase = keys.flatMap((key) =>
    (key.windows ?? [])
      .filter(({ sessionId }) => sessionId === key.currentSessionId)
      .map(({ sessionId, expected, indexActiveMessages }) => ({
        home,
        id: sessionId,
        label: key.node?.label,
        archived: key.node?.archived_at !== undefined,
        expected,
        indexedMessages: indexActiveMessages,
      })),
  );
  const inFiles = transcripts
    .filter(({ state }) => state === "live")
    .map(({ expected, sessionKeys }) => ({
      home,
      id: expected.header.id,
      label: keys.find((key) => sessionKeys.includes(key.sessionKey))?.entry?.label,
      archived: false,
      expected,
    }));
  return [...inDatabase, ...inFiles];
});

export interface OpenedHome {
  env: AgentEnv;
  notes: ReadNotes;
  sources: SessionSource[];
  ids: string[];
  head(id: string): SessionHead;
  read(id: string): SessionReader;
  messages(id: string): SessionMessage[];
}

export function openHome(path: string, vars: Record<string, string> = {}): OpenedHome {
  const env: AgentEnv = { home: path, platform: "linux", vars };
  const notes = new ReadNotes();
  const sources = history.listSessions(env, notes);
  const source = (id: string): SessionSource => {
    const found = sources.find(({ sessionId }) => sessionId === id);
    if (found === undefined) throw new Error(`${id} is not among ${sources.map((s) => s.sessionId).join(", ")}`);
    return found;
  };
  return {
    env,
    notes,
    sources,
    ids: sources.map(({ sessionId }) => sessionId).sort(),
    head: (id) => history.summarize(source(id), env, notes)!,
    read: (id) => history.read(source(id), env, notes)!,
    messages: (id) => [...history.read(source(id), env, notes)!.messages()],
  };
}
