import { listWorktrees, type Worktree } from "../../changes/worktree/list-worktrees.ts";
import { isBelow } from "../../changes/worktree/choose-worktree.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Command } from "../command.ts";
import { tildePath } from "../format/tilde-path.ts";
import { table } from "../format/table.ts";
import { placesOfSessions, repositoryDirectory, type Place } from "../run/session-places.ts";

interface Row extends Worktree {
  /** Running ones first. */
  sessions: Place[];
}

const command: Command = {
  name: "worktree list",
  description:
    "Shows each worktree with its sessions, its branch, how many commits it is ahead of and behind the branch it came from, and how many files are not committed.",
  arguments: [{ name: "dir", description: "a directory of the repository (default: here)", optional: true }],
  examples: [
    ["amux worktree list", "the worktrees of this repository"],
    ["amux worktree list ~/dev/shop --json", "of another one, for a script"],
  ],
  async run({ arguments: [dir], output }) {
    const { root, worktrees, isShallow } = await listWorktrees(repositoryDirectory(dir));
    const places = await placesOfSessions();
    const rows = worktrees.map((worktree): Row => ({ ...worktree, sessions: sessionsIn(worktree, worktrees, places) }));
    if (output.json) return output.writeJson({ root, isShallow, worktrees: rows.map(rowJson) });
    await output.write(
      table(rows, COLUMNS, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`),
    );
    if (isShallow)
      output.note("This clone is shallow, so counts may be too low. To fetch the rest: git fetch --unshallow");
  },
};

export default command;

/** A worktree may be inside another one. */
function sessionsIn({ path }: Worktree, all: readonly Worktree[], places: readonly Place[]): Place[] {
  const inner = all.filter((other) => other.path !== path && isBelow(other.path, path));
  const isHere = ({ cwd }: Place): boolean => isBelow(cwd, path) && !inner.some((other) => isBelow(cwd, other.path));
  return places.filter(isHere).sort((a, b) => Number(b.alive) - Number(a.alive));
}

const COLUMNS = [
  { title: "BRANCH", value: ({ branch, head = "" }: Row) => branch ?? head.slice(0, 8), min: 12 },
  {
    title: "SESSION",
    value: ({ sessions: [first, ...others] }: Row) => {
      const state = first?.alive === false ? " (ended)" : "";
      return first === undefined ? "" : `${first.name}${state}${others.length > 0 ? ` +${others.length}` : ""}`;
    },
    min: 10,
  },
  { title: "FROM", value: ({ from }: Row) => from ?? "", min: 6 },
  { title: "AHEAD", value: ({ ahead }: Row) => shown(ahead), align: "right" as const },
  { title: "BEHIND", value: ({ behind }: Row) => shown(behind), align: "right" as const },
  { title: "UNCOMMITTED", value: ({ uncommitted }: Row) => shown(uncommitted), align: "right" as const },
  { title: "STATE", value: stateOf, min: 6 },
  { title: "DIRECTORY", value: ({ path }: Row) => tildePath(path), min: 16, dispensable: 1 },
];

function shown(count: number | undefined): string {
  return count === undefined ? "" : String(count);
}

function stateOf({ isMain, isGone, locked, isMerged, uncommitted }: Row): string {
  if (isMain) return "main checkout";
  if (isGone) return "directory is gone";
  if (locked !== undefined) return `locked ${oneLine(locked)}`.trim();
  return isMerged === true && uncommitted === 0 ? "merged" : "";
}

function rowJson({ sessions, ...worktree }: Row): object {
  return {
    ...worktree,
    sessions: sessions.map(({ ref, name, cwd, alive, unifiedId }) => ({
      ref,
      name,
      cwd,
      alive,
      ...optional("unifiedId", unifiedId),
    })),
  };
}
