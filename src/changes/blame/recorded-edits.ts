/**
 * All edits that recorded sessions made in one repository. Nothing is kept: each question reads the transcripts of sessions that
 * may have an answer.
 */
import { closeSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { History, SessionHead, SessionSource } from "../../agents/adapter.ts";
import type { AgentName } from "../../core/session.ts";
import type { Catalog } from "../../history/catalog.ts";
import type { SessionManager } from "../../history/manager.ts";
import type { OnProgress } from "../../history/progress.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { mayEdit, repositoryPath, type RepositoryPlaces } from "./edit-places.ts";
import { editsIn, type SessionEdit } from "./session-edits.ts";

export interface RecordedEdit extends SessionEdit {
  /** Relative to the repository's root. */
  path: string;
  at: number;
  agent: AgentName;
  sessionId: string;
  sessionTitle: string;
  parentSessionId?: string;
  /** The machine it was recorded on, if not this one. */
  machine?: string;
  /** The root of the checkout that the file is in; unknown on another machine. */
  checkout?: string;
}

export interface EditQuery extends RepositoryPlaces {
  /** Only edits of sessions that were active then. */
  since?: number;
  until?: number;
  /** Only edits of these files, relative to the root. */
  paths?: ReadonlySet<string>;
  /** Only this session. */
  only?: { agent: AgentName; sessionId: string };
  onProgress?: OnProgress;
}

export interface RecordedEdits {
  edits: RecordedEdit[];
  sessionsRead: number;
  /** Files that could not be read. */
  skipped: number;
  /** Older edits were left out: there are too many to hold. */
  isCut: boolean;
}

/** Text of edits held at once; a year of one person's edits in a repository is a tenth of it. */
const MAX_TEXT = 128 * 1024 * 1024;
/** Agents' clocks are this machine's; a file's time may be coarser. */
const CLOCK_MS = 2000;

interface Candidate {
  title: string;
  catalog: Catalog;
  source: SessionSource;
  head: SessionHead;
  updatedMs: number;
}

export async function recordedEdits(manager: SessionManager, query: EditQuery): Promise<RecordedEdits> {
  const options = { ...optional("agent", query.only?.agent), ...optional("onProgress", query.onProgress) };
  const { runs } = manager;
  return manager.withCatalogs(options, async (catalogs) => {
    const candidates: Candidate[] = [];
    for (const catalog of catalogs)
      for (const { source, head } of (await catalog.entries()).values()) {
        const title = runs.labelOf(catalog.adapter.name, source.sessionId)?.name ?? oneLine(head.title);
        const candidate = { title, catalog, source, head, updatedMs: head.updatedMs ?? source.updatedMs };
        if (isCandidate(candidate, query)) candidates.push(candidate);
      }
    return readAll(candidates, query);
  });
}

function isCandidate({ source, head, updatedMs }: Candidate, query: EditQuery): boolean {
  const { since = -Infinity, until = Infinity, only } = query;
  if (only !== undefined && source.sessionId !== only.sessionId && head.parentId !== only.sessionId) return false;
  if (updatedMs + CLOCK_MS < since || (head.createdMs ?? -Infinity) > until + CLOCK_MS) return false;
  return mayEdit(query, head.cwd);
}

/** Newest first, so that the oldest are left out if there are too many. */
async function readAll(candidates: Candidate[], query: EditQuery): Promise<RecordedEdits> {
  const yielder = new EventLoopYielder();
  const needles = needlesOf(query.paths);
  const found: Found[] = [];
  let [size, sessionsRead, skipped, isCut] = [0, 0, 0, false];
  const total = candidates.length;
  for (const [done, candidate] of candidates.sort((a, b) => b.updatedMs - a.updatedMs).entries()) {
    await yielder.yieldIfDue();
    query.onProgress?.({ agent: candidate.catalog.adapter.name, stage: "sessions", done, total });
    if (isRuledOut(candidate, needles)) continue;
    if (size > MAX_TEXT) {
      isCut = true;
      break;
    }
    try {
      for (const edit of editsOfSession(candidate, query)) {
        size += textSize(edit);
        found.push({ edit, startedMs: candidate.head.startedMs ?? candidate.head.createdMs ?? candidate.updatedMs });
        if (yielder.isDue) await yielder.yieldIfDue();
      }
      sessionsRead++;
    } catch (error) {
      // An unreadable session costs only its own edits.
      candidate.catalog.notes.skip(candidate.source.path, (error as Error).message);
      skipped++;
    }
  }
  const edits = withoutCopies(found).sort((a, b) => a.at - b.at);
  return { edits, sessionsRead, skipped, isCut };
}

function* editsOfSession({ title, catalog, source, head }: Candidate, query: EditQuery): Generator<RecordedEdit> {
  const { adapter, env, notes } = catalog;
  const reader = adapter.history!.read(source, env, notes, "text");
  if (reader === undefined) return;
  const session = {
    agent: adapter.name,
    sessionId: source.sessionId,
    sessionTitle: title,
    ...optional("parentSessionId", head.parentId),
  };
  for (const edit of editsIn(reader)) {
    const place = repositoryPath(query, edit.path, head.cwd);
    // Without a time nothing can be said about what came first.
    if (place === undefined || edit.at === undefined || (query.paths && !query.paths.has(place.path))) continue;
    yield { ...edit, ...session, ...place, at: edit.at };
  }
}

function textSize({ oldLines, newLines }: RecordedEdit): number {
  let size = 200;
  for (const line of oldLines) size += line.length + 16;
  for (const line of newLines) size += line.length + 16;
  return size;
}

interface Found {
  edit: RecordedEdit;
  startedMs: number;
}

/** Forks hold copies of their parents' calls: the call belongs to the session that made it. */
function withoutCopies(found: readonly Found[]): RecordedEdit[] {
  const owners = new Map<string, Found>();
  const part = new Map<string, number>();
  for (const one of found) {
    const { agent, sessionId, toolCallId, at, path, newLines } = one.edit;
    const call = `${agent}\0${toolCallId}\0${at}\0${path}\0${newLines.length}`;
    // One call may hold several edits of a file.
    const number = part.get(`${sessionId}\0${call}`) ?? 0;
    part.set(`${sessionId}\0${call}`, number + 1);
    const key = `${call}\0${number}`;
    const other = owners.get(key);
    if (other === undefined || isOriginal(one, other)) owners.set(key, one);
  }
  return [...owners.values()].map(({ edit }) => edit);
}

function isOriginal(one: Found, other: Found): boolean {
  if (one.edit.inherited !== other.edit.inherited) return !one.edit.inherited;
  return one.startedMs < other.startedMs;
}

/** Names that must be in the bytes of a session that edited one of the files. Undefined: any session may have. */
function needlesOf(paths: ReadonlySet<string> | undefined): Buffer[] | undefined {
  if (paths === undefined || paths.size > 8) return undefined;
  const names = [...new Set([...paths].map((path) => basename(path)))];
  // Others may be written in several ways in JSON.
  return names.every((name) => /^[\w.@ +-]+$/.test(name)) ? names.map((name) => Buffer.from(name)) : undefined;
}

function isRuledOut({ catalog, source }: Candidate, needles: readonly Buffer[] | undefined): boolean {
  const { bytes } = catalog.adapter.history as History;
  // A conversation that begins in another session's file may name the file only there.
  if (needles === undefined || bytes === undefined || bytes.origin !== undefined) return false;
  const files = bytes.files(source);
  return files !== undefined && !files.some((path) => hasOneOf(path, needles));
}

const PIECE_BYTES = 1024 * 1024;

/** True also if the file cannot be read: the reader reports it. */
function hasOneOf(path: string, needles: readonly Buffer[]): boolean {
  const carry = Math.max(...needles.map(({ length }) => length)) - 1;
  const bytes = Buffer.allocUnsafe(carry + PIECE_BYTES);
  let fd: number;
  try {
    fd = openForReading(path);
  } catch {
    return true;
  }
  try {
    for (let carried = 0, position = 0; ;) {
      const got = readSync(fd, bytes, carried, PIECE_BYTES, position);
      if (got === 0) return false;
      position += got;
      const piece = bytes.subarray(0, carried + got);
      if (needles.some((needle) => piece.includes(needle))) return true;
      carried = Math.min(carry, piece.length);
      bytes.copyWithin(0, piece.length - carried, piece.length);
    }
  } catch {
    return true;
  } finally {
    closeSync(fd);
  }
}
