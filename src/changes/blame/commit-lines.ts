/** How many lines each session has in commits. */
import { joinUnifiedId } from "../../core/unified-id.ts";
import { groupBy } from "../../lib/values/group-by.ts";
import type { Repository } from "../diff/repository.ts";
import { blameLines } from "./blame-lines.ts";
import { emptyTreeOf } from "./blame-target.ts";
import type { LoggedCommit } from "./commit-log.ts";
import type { SessionLines } from "./divide-cost.ts";
import type { RecordedEdit } from "./recorded-edits.ts";

export interface CommitLines {
  /** By commit and session; only commits with lines of a session. */
  lines: Map<string, Map<string, SessionLines>>;
  sessions: Set<string>;
  /** Tool calls with lines in these commits. */
  calls: Set<string>;
  /** A first commit was left out, because the clone does not know what it changed. */
  isShallow: boolean;
}

export interface CommitLinesOptions {
  edits: readonly RecordedEdit[];
  /** The session that a sub-agent's session belongs to. */
  rootOf(unifiedId: string): string;
  /** Tool calls whose lines are counted elsewhere. */
  leftOut?: ReadonlySet<string>;
  onCommit?: (done: number, total: number) => void;
}

export async function linesOfCommits(
  repository: Repository,
  commits: readonly LoggedCommit[],
  { edits, rootOf, leftOut, onCommit }: CommitLinesOptions,
): Promise<CommitLines> {
  const byPath = groupBy(edits, ({ path }) => path);
  const found: CommitLines = { lines: new Map(), sessions: new Set(), calls: new Set(), isShallow: false };
  const wanted = commits.filter(({ paths }) => [...paths].some((path) => byPath.has(path)));
  for (const [index, { commit, parent }] of wanted.entries()) {
    onCommit?.(index + 1, wanted.length);
    if (parent === undefined && repository.isShallow) {
      found.isShallow = true;
      continue;
    }
    const asked = { kind: "commit", repository, commit, base: parent ?? emptyTreeOf(commit) } as const;
    const { ranges } = await blameLines(asked, async ({ paths }) =>
      [...paths].flatMap((path) => byPath.get(path) ?? []).sort((a, b) => a.at - b.at),
    );
    const bySession = new Map<string, SessionLines>();
    for (const { origin, path, start, end } of ranges) {
      if (origin.tier === "none" || origin.agent === undefined || origin.sessionId === undefined) continue;
      const id = rootOf(joinUnifiedId(origin.agent, origin.sessionId));
      const call = `${id}\0${origin.toolCallId}\0${path}`;
      if (leftOut?.has(call)) continue;
      found.calls.add(call);
      found.sessions.add(id);
      const lines = bySession.get(id) ?? { proved: 0, near: 0 };
      lines[origin.tier] += end - start + 1;
      bySession.set(id, lines);
    }
    if (bySession.size > 0) found.lines.set(commit, bySession);
  }
  return found;
}
