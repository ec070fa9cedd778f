/** The preview of a row: a running session live, an ended one's last screen, or the end of a transcript. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { errorText } from "../../lib/text/error-text.ts";
import { tmuxSocketOf } from "../../status/stored-evidence.ts";
import type { Row } from "../data/row.ts";
import { openTerminals } from "../data/terminals.ts";
import { MAIN_PTY } from "../layout/pane-id.ts";
import { Pane } from "../panes/pane.ts";
import { SILENT, finalScreen } from "../panes/final-screen.ts";
import { drawPlaceholder } from "../panes/placeholder.ts";
import { Grid, type Rect } from "../render/grid.ts";
import { THEME } from "../theme.ts";
import { wrapped } from "../render/text-width.ts";
import type { Stage } from "../view.ts";
import { lastScreen } from "./ended.ts";
import { transcriptLines } from "./transcript.ts";
import type { TextLine } from "../views/text-view.ts";

/** Delays the preview, so that scrolling through the list opens nothing. */
const SETTLE_MS = 80;
const TMUX_EVERY_MS = 1500;
/** Messages of a past session to load; enough to fill any preview. */
const LAST_MESSAGES = 30;

/** Rows to scroll up for each action. */
const STEPS: Readonly<Record<string, number>> = {
  down: -1,
  up: 1,
  "page-up": 10,
  "page-down": -10,
  top: 1e6,
  bottom: -1e9,
};

export class Preview {
  private readonly stage: Stage;
  private key = "";
  private timer: NodeJS.Timeout | undefined;
  private pane: Pane | undefined;
  private still: Grid | undefined;
  private lines: TextLine[] | undefined;
  private problem = "";
  private scrolled = 0;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  show(row: Row | undefined): void {
    const key = row === undefined ? "" : `${row.key} ${row.kind}`;
    if (key === this.key) return;
    this.close();
    this.key = key;
    if (row !== undefined) this.timer = setTimeout(() => this.open(row), SETTLE_MS);
  }

  close(): void {
    clearTimeout(this.timer);
    this.pane?.close();
    this.pane = undefined;
    this.still = undefined;
    this.lines = undefined;
    this.problem = "";
    this.key = "";
    this.scrolled = 0;
  }

  act(action: string): boolean {
    const step = STEPS[action];
    if (step !== undefined) this.scroll(step);
    return step !== undefined;
  }

  /** Scrolls up by rows; negative scrolls down. */
  scroll(rows: number): void {
    this.scrolled = Math.max(0, this.scrolled + rows);
    this.stage.redraw();
  }

  draw(grid: Grid, area: Rect, wrap: boolean): void {
    const picture = this.pane?.ready === true ? this.pane.screen.picture() : this.still;
    if (picture !== undefined) {
      const top = Math.max(0, lastRow(picture) - area.height - this.scrolled);
      grid.draw(picture, area, top);
      return;
    }
    if (this.pane !== undefined) drawPlaceholder(grid, this.pane, area);
    const end = this.pane?.end;
    const problem = end === undefined ? this.problem : "Its terminal cannot be reached.";
    if (problem !== "") grid.put(area.x, area.y, problem, THEME.dim, area.width);
    const rows = (this.lines ?? []).flatMap(({ text, look = THEME.text, indent = 0 }) =>
      (wrap ? wrapped(text, area.width - indent) : text.split("\n")).map((part) => ({ text: part, look, indent })),
    );
    const top = Math.max(0, rows.length - area.height - this.scrolled);
    rows
      .slice(top, top + area.height)
      .forEach(({ text, look, indent }, at) => grid.put(area.x + indent, area.y + at, text, look, area.width - indent));
  }

  private open(row: Row): void {
    const { stage } = this;
    try {
      if (row.kind === "live" || row.peer?.alive === true) this.openPane(row.key);
      else if (row.kind === "dead") this.still = lastScreen(stage, row.key);
      else if (row.kind === "tmux") void this.followTmux(row, this.key);
      else if (row.kind === "peer") this.lines = peerLines(row);
      else void this.openTranscript(row, this.key);
    } catch {
      this.problem = "No screen was saved.";
    }
    stage.redraw();
  }

  private openPane(sessionId: string): void {
    const { stage } = this;
    this.pane = new Pane(
      {
        sessionId,
        ptyId: MAIN_PTY,
        connect: () => openTerminals(stage.services, sessionId),
        budget: stage.budget,
        watchOnly: true,
      },
      { cols: 80, rows: 24 },
      { ...SILENT, onChange: () => stage.redraw(), onEnd: () => undefined },
    );
  }

  private async openTranscript({ conversation }: Row, key: string): Promise<void> {
    if (conversation === undefined) return;
    let lines: TextLine[];
    try {
      lines = await transcriptLines(this.stage.services, conversation, LAST_MESSAGES);
    } catch (error) {
      lines = [{ text: errorText(error), look: THEME.dim }];
    }
    if (this.key !== key) return;
    this.lines = lines;
    this.stage.redraw();
  }

  private async followTmux(row: Row, key: string): Promise<void> {
    const file = this.stage.services.statusFiles.read(row.name);
    const socket = file === undefined ? undefined : tmuxSocketOf(file);
    const where = socket === undefined ? [] : ["-S", socket];
    try {
      const { stdout } = await promisify(execFile)(
        "tmux",
        [...where, "capture-pane", "-p", "-e", "-t", `=${row.name}:`],
        { timeout: 2000 },
      );
      if (this.key !== key) return;
      this.still = painted(stdout);
    } catch {
      if (this.key !== key) return;
      this.still = undefined;
      this.problem = "tmux does not show this session.";
    }
    this.stage.redraw();
    this.timer = setTimeout(() => void this.followTmux(row, key), TMUX_EVERY_MS);
  }
}

/** A session of another machine without a terminal: the daemon's facts are shown. */
function peerLines({ name, agent, cwd, status, message, peer }: Row): TextLine[] {
  const facts = [name, agent, cwd, [status, message].filter((part) => part !== "").join(" · ")];
  const next = peer?.resumable === true ? "b resumes it on its machine." : "";
  return [...facts.map((text) => ({ text })), { text: "" }, { text: next, look: THEME.dim }];
}

function painted(text: string): Grid {
  const lines = text.replace(/\n$/, "").split("\n");
  return finalScreen(200, Math.max(1, Math.min(200, lines.length)), Buffer.from(lines.join("\r\n")));
}

/** The number of rows up to the last one with text; at least one. */
function lastRow(grid: Grid): number {
  for (let y = grid.height - 1; y > 0; y--) if (grid.text(y).trim() !== "") return y + 1;
  return 1;
}
