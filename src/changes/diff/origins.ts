/** Gives every hunk the session, message and tool call that made it. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { ChangedFile } from "../../core/changes.ts";
import type { SessionReference } from "../../core/diff.ts";
import type { OnProgress } from "../../history/progress.ts";
import type { SessionManager } from "../../history/manager.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { optional } from "../../lib/values/optional.ts";
import { EditIndex } from "../blame/edit-index.ts";
import { arrivalsOf } from "../blame/arrivals.ts";
import { patchesOf, type FilePatch } from "../blame/committed-lines.ts";
import { Evidence } from "../blame/evidence.ts";
import { recordedEdits } from "../blame/recorded-edits.ts";
import { parseWorktreeList } from "../worktree/parse-worktree-list.ts";
import { answer, type Repository } from "./repository.ts";
import { MAX_FILE_BYTES, unfollowedStat } from "./untracked.ts";

export interface OriginQuery {
  base: string;
  /** A commit; undefined: the working tree. */
  end: string | undefined;
  onProgress?: OnProgress;
}

/** Edits may lie in the working tree for a while before the session that is asked for begins. */
const BEFORE_MS = 24 * 3_600_000;

export async function withOrigins(
  sessions: SessionManager,
  repository: Repository,
  files: readonly ChangedFile[],
  { base, end, onProgress }: OriginQuery,
): Promise<{ files: ChangedFile[]; notes: string[] }> {
  const names = files.flatMap(({ path, oldPath, hunks = [] }) => (hunks.length === 0 ? [] : [path, oldPath ?? path]));
  if (names.length === 0) return { files: [...files], notes: [] };
  const baseMs = await timeOf(repository, base);
  const until = end === undefined ? Date.now() : ((await timeOf(repository, end)) ?? Date.now());
  const { edits, isCut, skipped } = await recordedEdits(sessions, {
    roots: await rootsOf(repository),
    paths: new Set(names),
    until,
    ...(baseMs === undefined ? {} : { since: baseMs - BEFORE_MS }),
    ...optional("onProgress", onProgress),
  });
  const index = new EditIndex(edits);
  const edited = [...index.paths];
  const last = end ?? repository.head;
  const since = edits[0]?.at ?? until;
  const { patches, knownSince } =
    last === undefined
      ? { patches: [] }
      : await patchesOf(repository.git, { commit: last, since, paths: edited, context: 0 });
  const commits = byPath(patches);
  const arrivals = await arrivalsOf(repository, edits);
  const attributed: ChangedFile[] = [];
  const yielder = new EventLoopYielder();
  for (const file of files) {
    await yielder.yieldIfDue();
    const { path, oldPath, hunks } = file;
    if (hunks === undefined) attributed.push(file);
    else {
      const isEdited = index.file(path, oldPath) !== undefined;
      const place = {
        path,
        ...optional("oldPath", oldPath),
        until: end === undefined ? lastChange(join(repository.root, path), until) : until,
        ...optional("file", isEdited ? await linesOf(repository, path, end) : undefined),
        commits: [...new Set([...(commits.get(path) ?? []), ...(commits.get(oldPath ?? "") ?? [])])],
        ...optional("knownSince", knownSince),
        ...optional("arrivals", arrivals),
        hunks,
      };
      const evidence = new Evidence(index, place);
      attributed.push({ ...file, hunks: hunks.map((hunk) => evidence.attribute(hunk)) });
    }
  }
  return { files: attributed, notes: notesOn(isCut, skipped) };
}

/** Files that a session edited, relative to the root. */
export async function editedFiles(
  sessions: SessionManager,
  repository: Repository,
  session: SessionReference,
): Promise<string[]> {
  const { edits } = await recordedEdits(sessions, { roots: await rootsOf(repository), only: session });
  return [...new Set(edits.map(({ path }) => path))];
}

function notesOn(isCut: boolean, skipped: number): string[] {
  return [
    ...(isCut ? ["There are too many recorded edits to hold: older ones were not compared."] : []),
    ...(skipped > 0
      ? [`${skipped} ${skipped === 1 ? "session" : "sessions"} could not be read. See amux doctor.`]
      : []),
  ];
}

/** A renamed file has two names. */
function byPath(patches: readonly FilePatch[]): Map<string, FilePatch[]> {
  const found = new Map<string, FilePatch[]>();
  for (const patch of patches)
    for (const name of new Set([patch.path, patch.oldPath ?? patch.path])) {
      const list = found.get(name);
      if (list === undefined) found.set(name, [patch]);
      else list.push(patch);
    }
  return found;
}

/** This checkout and its siblings: their sessions edited the same files. */
async function rootsOf({ git, root }: Repository): Promise<string[]> {
  const listed = parseWorktreeList((await answer(git, "worktree", "list", "--porcelain", "-z")) ?? "");
  const roots = [root, ...listed.filter(({ isBare }) => !isBare).map(({ path }) => path)];
  return [...new Set(roots.flatMap((path) => [path, resolved(path)]))];
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A worktree whose directory is gone.
    return path;
  }
}

/** Undefined for a tree, which has no time. */
async function timeOf({ git }: Repository, commit: string): Promise<number | undefined> {
  const seconds = Number(await answer(git, "log", "-1", "--format=%ct", commit, "--"));
  return seconds > 0 ? seconds * 1000 : undefined;
}

/** A deleted file has none. */
function lastChange(path: string, now: number): number {
  return unfollowedStat(path)?.mtimeMs ?? now;
}

async function linesOf(
  { git, root }: Repository,
  path: string,
  end: string | undefined,
): Promise<string[] | undefined> {
  if (end !== undefined) return (await answer(git, "cat-file", "blob", `${end}:${path}`))?.split("\n");
  const file = join(root, path);
  const stat = unfollowedStat(file);
  return stat?.isFile() !== true || stat.size > MAX_FILE_BYTES ? undefined : readText(file).split("\n");
}
