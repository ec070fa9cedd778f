/** Divides what sessions cost among commits, by the lines that each commit has of them. Nothing is lost by rounding. */
import type { CostKind } from "../../core/cost.ts";

export interface SessionCost {
  unifiedId: string;
  title: string;
  nanoUsd: number;
  kind: CostKind;
}

/** A session's part of a commit. */
export interface CostShare {
  unifiedId: string;
  title: string;
  totalUsd: number;
  /** Of the session's cost. */
  kind: CostKind;
  proved: number;
  near: number;
}

/** Lines of one session in one commit. */
export interface SessionLines {
  proved: number;
  near: number;
}

export interface DividedCost {
  /** By commit, most expensive session first. */
  commits: Map<string, CostShare[]>;
  /** What is in none of them. */
  rest: CostShare[];
}

const NO_LINES: SessionLines = { proved: 0, near: 0 };

/** `lines` by commit and session; the lines in `others` count, but their commits are not asked for. */
export function dividedCost(
  sessions: readonly SessionCost[],
  lines: ReadonlyMap<string, ReadonlyMap<string, SessionLines>>,
  others: ReadonlyMap<string, number> = new Map(),
): DividedCost {
  const commits = new Map<string, CostShare[]>([...lines.keys()].map((commit) => [commit, []]));
  const rest: CostShare[] = [];
  for (const { unifiedId, title, nanoUsd, kind } of sessions) {
    const own = [...lines].flatMap(([commit, all]) => {
      const some = all.get(unifiedId);
      return some === undefined ? [] : [{ commit, some }];
    });
    const weights = [...own.map(({ some }) => some.proved + some.near), others.get(unifiedId) ?? 0];
    const parts = own.length === 0 ? [nanoUsd] : apportioned(nanoUsd, weights);
    own.forEach(({ commit, some }, index) =>
      commits.get(commit)!.push({ unifiedId, title, totalUsd: parts[index]! / 1e9, kind, ...some }),
    );
    const left = parts.at(-1)!;
    if (left !== 0 || own.length === 0) rest.push({ unifiedId, title, totalUsd: left / 1e9, kind, ...NO_LINES });
  }
  for (const shares of [...commits.values(), rest]) shares.sort((a, b) => b.totalUsd - a.totalUsd);
  return { commits, rest };
}

/** Whole numbers that add up to the amount; the last ones get what rounding leaves. */
function apportioned(amount: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let [seen, given] = [0, 0];
  return weights.map((weight) => {
    seen += weight;
    const upTo = Number((BigInt(amount) * BigInt(seen)) / BigInt(sum));
    const part = upTo - given;
    given = upTo;
    return part;
  });
}
