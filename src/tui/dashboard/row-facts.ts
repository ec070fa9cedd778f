/** Facts shown in a row that are not in its data: repository, memory, time. */
import { optional } from "../../lib/values/optional.ts";
import type { Row } from "../data/row.ts";
import type { Stage } from "../view.ts";
import type { RowFacts } from "./row-line.ts";

export function factsOf({ board, services }: Stage, row: Row, selected = false, marked = false): RowFacts {
  return {
    now: Date.now(),
    agent: services.agentLabel(row.agent),
    selected,
    marked,
    ...optional("rssBytes", board.rssOf(row.pid)),
    ...optional("git", gitOf({ board }, row)),
  };
}

/** Past conversations and other machines report their own branch. */
function gitOf({ board }: Pick<Stage, "board">, row: Row): RowFacts["git"] {
  const now = row.kind === "live" || row.kind === "tmux" || row.kind === "dead" ? board.gitOf(row.cwd) : undefined;
  const git = now ?? row.git;
  if (git?.branch === undefined || git.branch === "") return undefined;
  return {
    branch: git.branch,
    dirty: git.dirty ?? false,
    ahead: git.ahead ?? 0,
    behind: git.behind ?? 0,
    ...optional("pr", now?.prNumber ?? row.git?.pr_num),
  };
}
