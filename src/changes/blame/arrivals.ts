/** How an edit in one checkout can have come into another one: with a commit that was made there. */
import { ProgramFailed } from "../../lib/process/ask-program.ts";
import { untrustedRepository } from "../../status/untrusted-git.ts";
import { movesOf } from "../diff/base.ts";
import { answer, type Repository } from "../diff/repository.ts";
import { parseWorktreeList } from "../worktree/parse-worktree-list.ts";
import { resolved } from "./edit-places.ts";
import type { RecordedEdit } from "./recorded-edits.ts";

export interface Arrivals {
  /** The checkout that is asked about. */
  here: string;
  /** By checkout that is there: commits made in it, by git's record of its HEAD. */
  made: ReadonlyMap<string, ReadonlySet<string>>;
}

/** `commit`: that brought the line; undefined if none did. */
export function mayHaveArrived(
  { here, made }: Arrivals,
  { checkout, machine }: Pick<RecordedEdit, "checkout" | "machine">,
  commit: string | undefined,
): boolean {
  if (machine === undefined && (checkout === undefined || checkout === here)) return true;
  if (commit === undefined) return false;
  const own = machine === undefined ? made.get(checkout!) : undefined;
  if (own !== undefined) return own.has(commit);
  // That checkout is gone or far away, and its record with it.
  return ![...made.values()].some((commits) => commits.has(commit));
}

const MAX_CHECKOUTS = 50;
const MADE = /^(?:commit|rebase|cherry-pick|revert|am)\b/;
const known = new WeakMap<Repository, Promise<Arrivals>>();

/** Undefined if all edits were made in this checkout. */
export async function arrivalsOf(
  repository: Repository,
  edits: readonly RecordedEdit[],
): Promise<Arrivals | undefined> {
  const here = resolved(repository.root);
  if (edits.every(({ checkout, machine }) => machine === undefined && checkout === here)) return undefined;
  let arrivals = known.get(repository);
  if (arrivals === undefined) known.set(repository, (arrivals = readArrivals(repository, here)));
  return arrivals;
}

async function readArrivals({ git }: Repository, here: string): Promise<Arrivals> {
  const listed = parseWorktreeList((await answer(git, "worktree", "list", "--porcelain", "-z")) ?? "");
  const made = new Map<string, Set<string>>();
  for (const { path, isBare, prunable } of listed.slice(0, MAX_CHECKOUTS)) {
    if (isBare || prunable !== undefined) continue;
    try {
      const moves = await movesOf(resolved(path) === here ? git : await untrustedRepository(path));
      made.set(resolved(path), new Set(moves.flatMap(({ commit, why }) => (MADE.test(why) ? [commit] : []))));
    } catch (error) {
      // Gone since, or another user's: as if it were far away.
      if (!(error instanceof ProgramFailed)) throw error;
    }
  }
  return { here, made };
}
