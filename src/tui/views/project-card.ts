/** A project as lines: name, repository, current task, and its sessions when expanded. */
import { oneLine } from "../../lib/text/text.ts";
import type { ProjectSnapshot } from "../../status/projects/project-snapshot.ts";
import { age, tildePath } from "../dashboard/figures.ts";
import type { Row } from "../data/row.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, padded, widthOf } from "../render/text-width.ts";
import { statusLook, THEME } from "../theme.ts";

export interface ProjectFacts {
  project: ProjectSnapshot;
  /** Shown below it. */
  sessions: readonly Row[];
  isSelected: boolean;
  hasKeys: boolean;
  home: string;
}

const BAR_WIDTH = 10;

export function projectHeight(project: ProjectSnapshot, sessions: readonly Row[]): number {
  return 2 + (hasWork(project) ? 1 : 0) + sessions.length;
}

export function drawProject(grid: Grid, area: Rect, facts: ProjectFacts): void {
  const { project, sessions, isSelected, hasKeys, home } = facts;
  const { x, width } = area;
  const end = area.y + area.height;
  let { y } = area;
  const line = (draw: (row: number) => void): void => {
    if (y < end) draw(y);
    y++;
  };
  const base = isSelected && hasKeys ? THEME.selected : THEME.bold;
  const dim = isSelected && hasKeys ? THEME.selectedDim : THEME.dim;
  line((row) => {
    if (isSelected && hasKeys) grid.cover({ x, y: row, width, height: 1 }, base, 0x20);
    const { icon, look } = statusLook(project.status);
    grid.put(x + 1, row, icon, { fg: look.fg, bg: base.bg });
    const right = `${project.session_count} ${project.session_count === 1 ? "session" : "sessions"} ${padded(age(project.last_activity * 1000, Date.now()), 4, "right")}`;
    const from = Math.max(x + 3, x + width - widthOf(right) - 1);
    const after = grid.put(
      x + 3,
      row,
      fit(project.name === "" ? project.dir : project.name, Math.max(0, from - x - 4)),
      base,
    );
    grid.put(
      after + 2,
      row,
      tildePath(project.dir, home, Math.max(1, from - after - 3)),
      dim,
      Math.max(0, from - after - 3),
    );
    grid.put(from, row, right, dim, Math.max(0, x + width - from));
  });
  line((row) => grid.put(x + 3, row, fit(gitText(project), width - 4), THEME.good));
  if (hasWork(project)) line((row) => drawWork(grid, x + 3, row, width - 4, project));
  for (const session of sessions)
    line((row) => {
      const { icon, look } = statusLook(session.status);
      grid.put(x + 5, row, icon, look);
      const text = `${session.name}${session.message === "" ? "" : `  ${session.message}`}`;
      grid.put(x + 7, row, fit(text, width - 8), THEME.text);
    });
}

function hasWork({ current_pbi, tasks }: ProjectSnapshot): boolean {
  return current_pbi !== undefined || tasks.total > 0;
}

function gitText({ branch, dirty, commits_ahead, pr_num, head_sha }: ProjectSnapshot): string {
  if (branch === "") return "no repository";
  const marks = [
    dirty ? "●" : "",
    commits_ahead > 0 ? `↑${commits_ahead}` : "",
    pr_num === undefined ? "" : `#${pr_num}`,
    head_sha.slice(0, 7),
  ];
  return [oneLine(branch), ...marks.filter((mark) => mark !== "")].join(" ");
}

/** The current task, and the progress of all tasks. */
function drawWork(grid: Grid, x: number, y: number, width: number, { current_pbi, tasks }: ProjectSnapshot): void {
  let at = x;
  if (tasks.total > 0) {
    const full = Math.round((BAR_WIDTH * tasks.done) / tasks.total);
    at = grid.put(at, y, "█".repeat(full), THEME.good, width);
    at = grid.put(at, y, "░".repeat(BAR_WIDTH - full), THEME.faint, Math.max(0, x + width - at));
    at = grid.put(at + 1, y, `${tasks.done}/${tasks.total}`, THEME.dim, Math.max(0, x + width - at - 1)) + 2;
  }
  if (current_pbi === undefined) return;
  const text = `▶ ${oneLine(`${current_pbi.id} ${current_pbi.title}`)}  (${current_pbi.source.replaceAll("_", " ")})`;
  grid.put(at, y, fit(text, x + width - at), THEME.accentBold);
}
