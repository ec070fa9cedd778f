/** What a session changed: from where it began to where it ended, or the working tree. */
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import type { SessionChanges } from "../../core/changes.ts";
import type { SessionReference } from "../../core/diff.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionManager } from "../../history/manager.ts";
import type { OnProgress } from "../../history/progress.ts";
import type { SessionView } from "../../history/session-view.ts";
import { fileStat } from "../../lib/fs/directory.ts";
import { optional } from "../../lib/values/optional.ts";
import { rangeOf, type SessionTime } from "./base.ts";
import { bounded, chosen } from "./choose-hunks.ts";
import { compare, type Comparison } from "./compare.ts";
import { lastLook } from "./looks.ts";
import { editedFiles, withOrigins } from "./origins.ts";
import { repositoryAt, type Repository } from "./repository.ts";
import { lookKey, type ChangesOptions, type ChangesSubject } from "./subject.ts";

export interface ChangesSources {
  sessions: SessionManager;
  env: AgentEnv;
  /** Where a long question can be ended. */
  onProgress?: OnProgress;
  /** Ends git, and everything after it. */
  signal?: AbortSignal;
}

export async function sessionChanges(
  sources: ChangesSources,
  subject: ChangesSubject,
  options: ChangesOptions = {},
): Promise<SessionChanges> {
  checkOptions(subject, options);
  const view = await viewOf(sources, subject);
  const cwd = view?.summary.cwd ?? subject.terminal?.cwd ?? "";
  if (cwd === "") {
    throw new AgentMuxError(
      "CAPABILITY_ERROR",
      "The session's agent recorded no directory, so nothing can be compared.",
    );
  }
  const repository = stoppable(await repositoryAt(cwd), sources.signal);
  let known: Promise<string[]> | undefined;
  const edited = (): Promise<string[]> => (known ??= editedBy(sources, repository, subject.session));
  const time = timeOf(view, subject, edited);
  const { base, end } = await rangeFor(repository, time, options);
  const hasHunks = options.hunks ?? options.paths !== undefined;
  const compared = await compare(repository, {
    base: base.commit,
    end,
    paths: placesOf(options, repository.root),
    ...(options.mine === true ? { only: new Set(await edited()) } : {}),
    isSummary: !hasHunks && options.mine !== true && options.sinceLook !== true,
  });
  const look = lastLook(sources.env, lookKey(subject));
  const filter = { look, session: subject.session };
  // Hunks that are not shown need no origin; a file's are told apart together.
  const unseen = new Set(chosen(compared.files, { ...options, mine: false }, filter).map(({ path }) => path));
  const { files, notes } =
    hasHunks || options.mine === true
      ? await withOrigins(
          sources.sessions,
          repository,
          compared.files.filter(({ path }) => unseen.has(path)),
          {
            base: base.commit,
            end: typeof end === "object" ? end.commit : undefined,
            ...optional("onProgress", sources.onProgress),
          },
        )
      : { files: compared.files, notes: [] };
  const shown = chosen(files, options, filter);
  const sum = (of: "added" | "removed"): number => shown.reduce((total, file) => total + file[of], 0);
  const allNotes = [...compared.notes, ...notes, ...notesOn(repository)];
  return {
    root: repository.root,
    base,
    ...(typeof end === "object" ? { end: end.commit } : {}),
    ...(look === undefined ? {} : { lookedAt: look.at }),
    ...(allNotes.length > 0 ? { notes: allNotes } : {}),
    added: sum("added"),
    removed: sum("removed"),
    ...bounded(shown, options),
  };
}

function stoppable(repository: Repository, signal: AbortSignal | undefined): Repository {
  if (signal === undefined) return repository;
  const stopIfGivenUp = (): void => {
    if (signal.aborted) throw new AgentMuxError("ABORTED", "The request was cancelled.");
  };
  const git: Repository["git"] = async (args, look) => {
    stopIfGivenUp();
    try {
      return await repository.git(args, { ...look, signal });
    } finally {
      stopIfGivenUp();
    }
  };
  return { ...repository, git };
}

function checkOptions({ session }: ChangesSubject, { staged, committed, mine }: ChangesOptions): void {
  if (mine === true && session === undefined) {
    const message = "This session has no conversation, so nothing tells which changes are its own.";
    throw new AgentMuxError("VALIDATION_ERROR", message);
  }
  if (staged === true && committed === true) {
    throw new AgentMuxError("VALIDATION_ERROR", "Either staged or committed changes can be shown, not both at once.");
  }
}

/** Undefined for a terminal session without a conversation. */
async function viewOf({ sessions }: ChangesSources, subject: ChangesSubject): Promise<SessionView | undefined> {
  const { session, terminal } = subject;
  if (session === undefined) return undefined;
  try {
    return await sessions.open(session.agent, session.sessionId);
  } catch (error) {
    // An agent writes its file only after the first prompt.
    const isUnwritten = error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND";
    if (isUnwritten && terminal !== undefined) return undefined;
    throw error;
  }
}

function timeOf(
  view: SessionView | undefined,
  { terminal }: ChangesSubject,
  edited: SessionTime["edited"],
): SessionTime {
  const summary = view?.summary;
  const startedMs = summary?.createdAt.getTime() ?? millis(terminal?.startedAt);
  const endedMs = summary?.updatedAt.getTime() ?? millis(terminal?.endedAt);
  return {
    commit: view?.commit,
    startedMs,
    endedMs: terminal?.isRunning === true ? undefined : endedMs,
    edited,
  };
}

async function editedBy(
  { sessions }: ChangesSources,
  repository: Repository,
  session: SessionReference | undefined,
): Promise<string[]> {
  return session === undefined ? [] : editedFiles(sessions, repository, session);
}

function millis(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

async function rangeFor(
  repository: Repository,
  time: SessionTime,
  { staged, committed }: ChangesOptions,
): Promise<{ base: SessionChanges["base"]; end: Comparison["end"] }> {
  const { base, end } = await rangeOf(repository, time);
  const { head } = repository;
  if (staged === true) {
    const commit = head ?? base.commit;
    return {
      base: { commit, chosen: "head", sentence: "What is staged, compared with the last commit." },
      end: "index",
    };
  }
  if (end !== undefined) return { base, end: { commit: end } };
  if (committed !== true) return { base, end: "working-tree" };
  return {
    base: { ...base, sentence: `${base.sentence} Only what is committed.` },
    end: { commit: head ?? base.commit },
  };
}

/** Relative to the root. */
function placesOf({ paths = [], pathsFrom = "" }: ChangesOptions, root: string): string[] {
  const from = isInside(relative(root, pathsFrom)) ? pathsFrom : root;
  return paths.map((path) => {
    const place = relative(root, resolve(from, path));
    if (!isInside(place)) throw new AgentMuxError("VALIDATION_ERROR", `${path} is not in ${root}.`);
    return place;
  });
}

function isInside(place: string): boolean {
  return place !== ".." && !place.startsWith(`..${sep}`) && !isAbsolute(place);
}

function notesOn({ root, isShallow }: Repository): string[] {
  return [
    ...(isShallow ? ["This is a shallow clone: older history is not known here."] : []),
    ...(fileStat(join(root, ".gitmodules")) === undefined ? [] : ["Submodules are not looked into."]),
  ];
}
