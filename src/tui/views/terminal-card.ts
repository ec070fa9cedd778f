/** A terminal in the view of all terminals: program, directory and state. */
import type { GitInfo } from "../../status/git-info.ts";
import { age, tildePath } from "../dashboard/figures.ts";
import { isRunning } from "../data/row-order.ts";
import type { Row } from "../data/row.ts";
import { MAIN_PTY } from "../layout/pane-id.ts";
import type { PaneRef } from "../panes/pane.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, padded, widthOf } from "../render/text-width.ts";
import { statusLook, THEME } from "../theme.ts";

export interface Card extends PaneRef {
  title: string;
  process: string;
  cwd: string;
  status: string;
  updatedMs: number;
}

export const CARD_ROWS = 2;

/** The terminals of a running session; for another machine's, only the main one. */
export function cardsOf(row: Row): Card[] {
  const { key, name, status, updatedMs, cwd } = row;
  if (!isRunning(row)) return [];
  if (row.peer !== undefined)
    return row.peer.unreachable
      ? []
      : [{ sessionId: key, ptyId: MAIN_PTY, title: name, process: row.agent, cwd, status, updatedMs }];
  return (row.known?.meta.ptys ?? [])
    .filter((pty) => pty.exit_code === null)
    .map((pty) => ({
      sessionId: key,
      ptyId: pty.id,
      title: pty.id === MAIN_PTY ? name : `${name} · ${pty.command.join(" ")}`,
      // The command as requested: amux adds options to agents for their reports.
      process: (pty.id === MAIN_PTY ? (row.known?.meta.command ?? pty.command) : pty.command).join(" "),
      cwd: pty.cwd,
      status: pty.id === MAIN_PTY ? status : "idle",
      updatedMs,
    }));
}

export interface CardFacts {
  isSelected: boolean;
  git: GitInfo | undefined;
  home: string;
}

export function drawCard(grid: Grid, { x, y, width }: Rect, card: Card, { isSelected, git, home }: CardFacts): void {
  const base = isSelected ? THEME.selected : THEME.text;
  const dim = isSelected ? THEME.selectedDim : THEME.dim;
  if (isSelected) grid.cover({ x, y, width, height: CARD_ROWS }, base, 0x20);
  const { icon, look } = statusLook(card.status);
  grid.put(x + 1, y, icon, { fg: look.fg, bg: base.bg });
  const titleLook = { fg: base.fg === 0 ? THEME.bold.fg : base.fg, bg: base.bg };
  grid.put(x + 3, y, fit(card.title, width - 9), titleLook);
  grid.put(x + width - 5, y, padded(age(card.updatedMs, Date.now()), 4, "right"), dim);
  const branch = git === undefined ? "" : ` ${git.branch}${git.dirty ? " ●" : ""}`;
  const where = tildePath(card.cwd, home, Math.max(8, width - 5 - widthOf(branch)));
  grid.put(x + 3, y + 1, fit(`${where}${branch}`, width - 4), dim);
}
