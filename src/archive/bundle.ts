/**
 * A directory of pulled sessions, one atomic file each. The name holds owner and state, so that known states are not fetched
 * again.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { AgentMuxError } from "../core/errors.ts";
import type { SessionMessage } from "../core/session.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import type { Run } from "../history/run-index.ts";
import type { ArchivedSession } from "./archived-session.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../lib/fs/foreign-file.ts";

export interface BundledSession {
  owner: string;
  session: ArchivedSession;
}

/** Facts that belong to no single session. */
export interface BundleNotes {
  runs: Run[];
  /** Files unreadable on their machines, by agent. */
  unread: Record<string, number>;
}

export interface StateName {
  owner: string;
  agent: string;
  sessionId: string;
  digest: string;
}

const FORMAT = 1;
const FILE = /^([0-9a-f]{32})-([0-9a-f]{32})\.json$/;

/** The fields needed for navigation; the rest is as in the archive. */
const Transcript = { messages: z.array(z.looseObject({ role: z.string(), content: z.string() })) };
const Bundled = z.looseObject({
  format: z.literal(FORMAT),
  owner: z.string(),
  session: z.looseObject({
    agent: z.string(),
    sessionId: z.string(),
    head: z.looseObject({ title: z.string() }),
    wholeHead: z.looseObject({ title: z.string() }),
    usage: z.array(z.looseObject({ key: z.string() })),
    ...Transcript,
    subagents: z.array(z.looseObject({ id: z.string(), ...Transcript })),
  }),
});

const Notes = z.object({
  runs: z.array(z.looseObject({ runId: z.string(), agent: z.string(), tags: z.array(z.string()) })),
  unread: z.record(z.string(), z.number().int()),
});
const NOTES = "notes.json";

/** JSON has no dates. */
function revive(message: SessionMessage): void {
  if (message.timestamp !== undefined) message.timestamp = new Date(message.timestamp);
}

export class Bundle {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** State of each session, from the file names. */
  states(): Map<string, string> {
    const states = new Map<string, string>();
    for (const name of this.#names()) {
      const [, session, state] = FILE.exec(name)!;
      states.set(session!, state!);
    }
    return states;
  }

  has(name: StateName, states: ReadonlyMap<string, string>): boolean {
    return states.get(sessionPart(name)) === statePart(name);
  }

  put(name: StateName, bundled: BundledSession): void {
    ensurePrivateDirectory(this.path);
    const file = `${sessionPart(name)}-${statePart(name)}.json`;
    writeFileAtomic(join(this.path, file), JSON.stringify({ format: FORMAT, ...bundled }));
    for (const other of this.#names()) {
      if (other !== file && other.startsWith(sessionPart(name))) rmSync(join(this.path, other), { force: true });
    }
  }

  putNotes(notes: BundleNotes): void {
    ensurePrivateDirectory(this.path);
    writeFileAtomic(join(this.path, NOTES), JSON.stringify(notes));
  }

  notes(): BundleNotes {
    const path = join(this.path, NOTES);
    if (!existsSync(path)) return { runs: [], unread: {} };
    try {
      return Notes.parse(JSON.parse(readText(path, MAX_DOCUMENT_BYTES))) as BundleNotes;
    } catch (error) {
      throw broken(path, error);
    }
  }

  *sessions(): Generator<BundledSession> {
    for (const name of this.#names()) yield this.#read(join(this.path, name));
  }

  #read(path: string): BundledSession {
    try {
      const bundled = Bundled.parse(JSON.parse(readText(path, MAX_DOCUMENT_BYTES))) as unknown as BundledSession;
      const { session } = bundled;
      for (const { messages } of [session, ...session.subagents]) messages.forEach(revive);
      return bundled;
    } catch (error) {
      throw broken(path, error);
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.path).filter((name) => FILE.test(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }
}

function broken(path: string, cause: unknown): AgentMuxError {
  return new AgentMuxError("PARSE_ERROR", `${path} is not what a pull writes; remove it and pull again.`, { cause });
}

/** Ids are foreign; no part of them goes into a path. */
function sessionPart({ owner, agent, sessionId }: StateName): string {
  return hash(JSON.stringify([owner, agent, sessionId]));
}

function statePart({ digest }: StateName): string {
  return hash(digest);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
