/** What the commits of a repository cost: the cost of the sessions that wrote their lines. */
import { join } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import type { CostKind } from "../../core/cost.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { weaker } from "../../history/cost/cost-item.ts";
import type { SessionManager } from "../../history/manager.ts";
import { optional } from "../../lib/values/optional.ts";
import { repositoryAt, type Repository } from "../diff/repository.ts";
import { pullRequestTarget } from "./blame-target.ts";
import { linesOfCommits, type CommitLines } from "./commit-lines.ts";
import { loggedCommits, type LoggedCommit } from "./commit-log.ts";
import { dividedCost, type CostShare, type SessionCost } from "./divide-cost.ts";
import { placesOf, repositoryPath, type RepositoryPlaces } from "./edit-places.ts";
import { recordedEdits, type RecordedEdit } from "./recorded-edits.ts";

export interface CommitCostQuestion {
  /** Any directory of the repository. */
  cwd: string;
  /** Only the commits of this pull request. */
  pullRequest?: number;
  since?: Date;
  until?: Date;
  /** Called for each commit that is looked at. */
  onCommit?: (done: number, total: number) => void;
}

export interface CommitCost {
  commit: string;
  at: string;
  subject: string;
  totalUsd: number;
  /** The weakest kind among its sessions' costs. */
  kind: CostKind;
  sessions: CostShare[];
}

export interface CommitCosts {
  root: string;
  pullRequest?: number;
  /** Of requests and commits. */
  since?: string;
  until?: string;
  /** Those with lines of a known session, newest first. */
  commits: CommitCost[];
  /** Commits without such lines. */
  otherCommits: number;
  /** The rest of the sessions' cost: in other commits than these, or in none yet. */
  rest: { totalUsd: number; kind: CostKind; sessions: CostShare[] };
  totalUsd: number;
  /** What limits the answer. */
  notes: string[];
}

const MAX_COMMITS = 2000;
/** A clock's tick before the first edit. */
const MARGIN_MS = 2000;

export async function commitCosts(
  manager: SessionManager,
  question: CommitCostQuestion,
  env: AgentEnv,
): Promise<CommitCosts> {
  const { cwd, pullRequest, since, until } = question;
  const asked = pullRequest === undefined ? undefined : await pullRequestTarget(pullRequest, cwd);
  const repository = asked?.repository ?? (await repositoryAt(cwd));
  const places = await placesOf(repository, env);
  const known = await knownSessions(manager, { ...optional("since", since), ...optional("until", until) });
  const { edits, skipped, isCut } = await recordedEdits(manager, { ...places, ...optional("since", since?.getTime()) });
  const period = { ...optional("since", since?.getTime()), ...optional("until", until?.getTime()), max: MAX_COMMITS };
  const revisions =
    asked?.kind === "pull-request"
      ? [asked.head, `^${asked.base}`]
      : repository.head === undefined
        ? []
        : [repository.head];
  const commits = await loggedCommits(repository, revisions, period);
  const { rootOf } = known;
  const blamed = await linesOfCommits(repository, commits, {
    edits,
    rootOf,
    ...optional("onCommit", question.onCommit),
  });
  const others =
    asked?.kind === "pull-request"
      ? await linesElsewhere(repository, asked.head, commits, { blamed, edits, rootOf })
      : new Map<string, number>();
  const isAsked = ({ unifiedId }: SessionCost): boolean =>
    blamed.sessions.has(unifiedId) || (asked === undefined && isOf(places, known.directoryOf(unifiedId)));
  const sessions = [...known.costs.filter(isAsked), ...known.without(blamed.sessions)];
  const { commits: shares, rest } = dividedCost(sessions, blamed.lines, others);
  const notes = [
    ...(commits.length === MAX_COMMITS ? [`Only the newest ${MAX_COMMITS} commits were looked at.`] : []),
    ...(blamed.isShallow ? ["This is a shallow clone: what its first commit changed is not known."] : []),
    ...(skipped > 0
      ? [`${skipped} ${skipped === 1 ? "session" : "sessions"} could not be read; see amux doctor.`]
      : []),
    ...(isCut ? ["There are too many edits to hold: the oldest sessions were left out."] : []),
  ];
  const rows = commits.flatMap(({ commit, at, subject }): CommitCost[] => {
    const own = shares.get(commit) ?? [];
    if (own.length === 0) return [];
    return [{ commit, at: new Date(at).toISOString(), subject, ...sumOf(own), sessions: own }];
  });
  return {
    root: repository.root,
    ...optional("pullRequest", pullRequest),
    ...optional("since", since?.toISOString()),
    ...optional("until", until?.toISOString()),
    commits: rows,
    otherCommits: commits.length - rows.length,
    rest: { ...sumOf(rest), sessions: rest },
    totalUsd: sessions.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0) / 1e9,
    notes,
  };
}

/** Lines of a pull request's sessions in other commits. An edit that is in the pull request counts there, also if it was squashed. */
async function linesElsewhere(
  repository: Repository,
  head: string,
  own: readonly LoggedCommit[],
  { blamed, edits, rootOf }: { blamed: CommitLines; edits: readonly RecordedEdit[]; rootOf(unifiedId: string): string },
): Promise<Map<string, number>> {
  const theirs = edits.filter((edit) => blamed.sessions.has(rootOf(idOf(edit))));
  const first = Math.min(...theirs.map(({ at }) => at));
  if (!Number.isFinite(first)) return new Map();
  const revisions = [head, ...(repository.head === undefined ? [] : [repository.head])];
  const history = await loggedCommits(repository, revisions, { since: first - MARGIN_MS, max: MAX_COMMITS });
  const inside = new Set(own.map(({ commit }) => commit));
  const others = history.filter(({ commit }) => !inside.has(commit));
  const outside = await linesOfCommits(repository, others, { edits: theirs, rootOf, leftOut: blamed.calls });
  const found = new Map<string, number>();
  for (const bySession of outside.lines.values())
    for (const [id, { proved, near }] of bySession) found.set(id, (found.get(id) ?? 0) + proved + near);
  return found;
}

interface KnownSessions {
  /** With the cost of their sub-agents. */
  costs: SessionCost[];
  /** Those of them that billed nothing in the period. */
  without(unifiedIds: Iterable<string>): SessionCost[];
  /** The session that a sub-agent's session belongs to. */
  rootOf(unifiedId: string): string;
  directoryOf(unifiedId: string): string | undefined;
}

async function knownSessions(manager: SessionManager, period: { since?: Date; until?: Date }): Promise<KnownSessions> {
  const heads = new Map((await manager.heads()).map((head) => [head.unifiedId, head]));
  const rootOf = (unifiedId: string): string => {
    const seen = new Set<string>();
    for (let id = unifiedId; ;) {
      const { agent, parentId } = heads.get(id) ?? {};
      seen.add(id);
      const parent = parentId === undefined ? undefined : joinUnifiedId(agent!, parentId);
      if (parent === undefined || !heads.has(parent) || seen.has(parent)) return id;
      id = parent;
    }
  };
  const titleOf = (id: string): string => heads.get(id)?.title ?? "";
  const { breakdowns = {} } = await manager.totalCost({ ...period, groupBy: "session" });
  const costs = new Map<string, SessionCost>();
  for (const { key, totalUsd, kind } of Object.values(breakdowns)) {
    const id = rootOf(key);
    const nanoUsd = Math.round(totalUsd * 1e9);
    const cost = costs.get(id);
    if (cost === undefined) costs.set(id, { unifiedId: id, title: titleOf(id), nanoUsd, kind });
    else {
      cost.nanoUsd += nanoUsd;
      cost.kind = weaker(cost.kind, kind);
    }
  }
  const nothing = { nanoUsd: 0, kind: "reported" } as const;
  return {
    costs: [...costs.values()],
    without: (ids) =>
      [...ids].filter((id) => !costs.has(id)).map((id) => ({ unifiedId: id, title: titleOf(id), ...nothing })),
    rootOf,
    directoryOf: (id) => heads.get(id)?.cwd,
  };
}

function idOf({ agent, sessionId }: RecordedEdit): string {
  return joinUnifiedId(agent, sessionId);
}

function isOf(places: RepositoryPlaces, cwd: string | undefined): boolean {
  return cwd !== undefined && repositoryPath(places, join(cwd, "x"), undefined) !== undefined;
}

function sumOf(shares: readonly CostShare[]): { totalUsd: number; kind: CostKind } {
  const nanoUsd = shares.reduce((sum, { totalUsd }) => sum + Math.round(totalUsd * 1e9), 0);
  return {
    totalUsd: nanoUsd / 1e9,
    kind: shares.reduce<CostKind>((kind, share) => weaker(kind, share.kind), "reported"),
  };
}
