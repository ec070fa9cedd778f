/**
 * Projects with repository, tasks and sessions, and the activity of the last day. One of the two zones has the focus.
 */
import { resolve } from "node:path";
import { PROJECT_EVENTS, type ProjectEvent } from "../../status/projects/project-events.ts";
import { ProjectWatch } from "../../status/projects/project-watch.ts";
import type { ProjectSnapshot } from "../../status/projects/project-snapshot.ts";
import type { SessionView } from "../../status/session-view.ts";
import { age } from "../dashboard/figures.ts";
import type { Row } from "../data/row.ts";
import type { MouseEvent } from "../input/input-event.ts";
import { nameOf, type Key } from "../input/key.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, padded } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Stage, View } from "../view.ts";
import { newSession } from "./new-session.ts";
import { hints } from "./panel.ts";
import { drawProject, projectHeight } from "./project-card.ts";

/** The interval of `amux projects --watch`. */
const LOOK_EVERY_MS = 60_000;

/** From this width on the zones are side by side. */
const BESIDE_FROM = 100;

const HINTS = [
  ["close", "close"],
  ["next-zone", "zone"],
  ["show-sessions", "its sessions"],
  ["toggle", "more"],
  ["filter-project", "events of this/all"],
  ["filter-type", "kind of event"],
  ["start-here", "start a session"],
  ["refresh", "refresh"],
] as const;

type EventType = ProjectEvent["type"];

export class ProjectsView implements View {
  private readonly stage: Stage;
  private readonly watch: ProjectWatch;
  private readonly timer: NodeJS.Timeout;
  private projects: readonly ProjectSnapshot[] | undefined;
  private events: readonly ProjectEvent[] = [];
  private zone: "projects" | "events" = "projects";
  private selected = 0;
  private top = 0;
  private eventTop = 0;
  private readonly expanded = new Set<string>();
  private onlyThis = false;
  private type: EventType | undefined;
  private isLooking = false;

  constructor(stage: Stage) {
    this.stage = stage;
    this.watch = new ProjectWatch({ env: stage.services.env, sessions: () => Promise.resolve(this.sessions()) });
    this.timer = setInterval(() => stage.attempt(this.look()), LOOK_EVERY_MS);
    stage.attempt(this.look());
  }

  close(): void {
    clearInterval(this.timer);
  }

  draw(grid: Grid, area: Rect): undefined {
    grid.cover(area);
    const count = this.projects?.length ?? 0;
    this.selected = Math.max(0, Math.min(this.selected, count - 1));
    grid.cover({ ...area, height: 1 }, THEME.bar, 0x20);
    const x = grid.put(area.x, area.y, " projects ", THEME.chip) + 1;
    grid.put(x, area.y, fit(this.isLooking ? "loading …" : `${count} of running sessions`, area.width - 12), THEME.bar);
    const body = { ...area, y: area.y + 1, height: area.height - 2 };
    const isBeside = body.width >= BESIDE_FROM;
    const share = isBeside ? Math.floor(body.width * 0.55) : Math.floor(body.height * 0.6);
    this.drawProjects(grid, isBeside ? { ...body, width: share } : { ...body, height: share });
    this.drawEvents(
      grid,
      isBeside
        ? { ...body, x: body.x + share, width: body.width - share }
        : { ...body, y: body.y + share, height: body.height - share },
    );
    const foot = { ...area, y: area.y + area.height - 1, height: 1 };
    grid.cover(foot, THEME.bar, 0x20);
    const pairs = HINTS.map(([action, does]) => [this.stage.keymap.keyOf("projects", action), does] as const);
    hints(grid, { ...foot, x: foot.x + 1, width: foot.width - 1 }, pairs, THEME.barAccent, THEME.bar);
  }

  key(pressed: Key): void {
    const action = this.stage.keymap.action("projects", nameOf(pressed));
    if (action !== undefined) this.act(action);
    this.stage.redraw();
  }

  mouse({ action }: MouseEvent): void {
    if (action === "wheel-up" || action === "wheel-down") this.move(action === "wheel-up" ? -1 : 1);
    this.stage.redraw();
  }

  private get project(): ProjectSnapshot | undefined {
    return this.projects?.[this.selected];
  }

  private act(action: string): void {
    const { stage, project } = this;
    switch (action) {
      case "close":
        return stage.pop(this);
      case "up":
      case "down":
        return this.move(action === "up" ? -1 : 1);
      case "top":
      case "bottom":
        return this.move(action === "top" ? -1e6 : 1e6);
      case "next-zone":
        this.zone = this.zone === "projects" ? "events" : "projects";
        return;
      case "toggle":
        if (project === undefined) return;
        if (!this.expanded.delete(project.dir)) this.expanded.add(project.dir);
        return;
      case "show-sessions":
        if (project === undefined) return;
        stage.pop(this);
        return stage.showDashboard(project.dir);
      case "start-here":
        return project === undefined ? undefined : stage.attempt(newSession(stage, project.dir));
      case "filter-project":
        this.onlyThis = !this.onlyThis;
        this.eventTop = 0;
        return;
      case "filter-type": {
        const at = this.type === undefined ? 0 : PROJECT_EVENTS.indexOf(this.type) + 1;
        this.type = PROJECT_EVENTS[at];
        this.eventTop = 0;
        return;
      }
      case "refresh":
        return stage.attempt(this.look());
      default:
        return undefined;
    }
  }

  private move(step: number): void {
    if (this.zone === "events") this.eventTop = Math.max(0, this.eventTop + step);
    else this.selected = Math.max(0, Math.min((this.projects?.length ?? 1) - 1, this.selected + step));
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const { snapshots } = await this.watch.look();
      this.projects = snapshots;
      this.events = this.watch.recent().toReversed();
    } finally {
      this.isLooking = false;
      this.stage.redraw();
    }
  }

  private sessions(): SessionView[] {
    return this.stage.board
      .rows()
      .flatMap(({ kind, view }) => (kind === "live" || kind === "tmux" ? (view ?? []) : []));
  }

  private sessionsOf({ dir }: ProjectSnapshot): Row[] {
    return this.stage.board
      .rows()
      .filter(({ kind, cwd }) => (kind === "live" || kind === "tmux") && cwd !== "" && resolve(cwd) === dir);
  }

  private drawProjects(grid: Grid, area: Rect): void {
    const { projects } = this;
    if (projects === undefined || projects.length === 0) {
      grid.put(
        area.x + 2,
        area.y + 1,
        projects === undefined ? "Loading projects …" : "No session is running.",
        THEME.dim,
        area.width - 3,
      );
      return;
    }
    const cards = projects.map((project) => {
      const sessions = this.expanded.has(project.dir) ? this.sessionsOf(project) : [];
      return { project, sessions, height: projectHeight(project, sessions) };
    });
    this.top = Math.min(this.top, this.selected);
    const heightFrom = (top: number): number =>
      cards.slice(top, this.selected + 1).reduce((sum, { height }) => sum + height, 0);
    while (this.top < this.selected && heightFrom(this.top) > area.height) this.top++;
    let y = area.y;
    cards.slice(this.top).forEach(({ project, sessions, height }, at) => {
      if (y >= area.y + area.height) return;
      const room = { ...area, y, height: Math.min(height, area.y + area.height - y) };
      const isSelected = this.top + at === this.selected;
      drawProject(grid, room, {
        project,
        sessions,
        isSelected,
        hasKeys: this.zone === "projects",
        home: this.stage.services.env.home,
      });
      y += height;
    });
  }

  private drawEvents(grid: Grid, { x, y, width, height }: Rect): void {
    const look = this.zone === "events" ? THEME.accent : THEME.faint;
    const isBeside = x > 0;
    if (isBeside) for (let row = y; row < y + height; row++) grid.put(x, row, "│", look);
    const left = isBeside ? x + 1 : x;
    const room = width - (isBeside ? 1 : 0);
    grid.put(left, y, "─".repeat(room), look);
    const what = [this.type?.replaceAll("_", " ") ?? "", this.onlyThis ? (this.project?.name ?? "") : ""].filter(
      (part) => part !== "",
    );
    grid.put(
      left + 1,
      y,
      fit(` ${["the last day", ...what].join(" · ")} `, room - 2),
      this.zone === "events" ? THEME.accentBold : THEME.bold,
    );
    const shown = this.events.filter(
      ({ type, dir }) =>
        (this.type === undefined || type === this.type) && (!this.onlyThis || dir === this.project?.dir),
    );
    this.eventTop = Math.max(0, Math.min(this.eventTop, shown.length - height + 1));
    const now = Date.now();
    shown.slice(this.eventTop, this.eventTop + height - 1).forEach(({ timestamp, project, type, detail }, at) => {
      const row = y + 1 + at;
      const head = grid.put(left + 1, row, `${padded(age(timestamp * 1000, now), 4, "right")} `, THEME.dim, room - 1);
      const next = grid.put(head, row, fit(`${project} `, 20), THEME.accent, Math.max(0, left + room - head));
      grid.put(
        next,
        row,
        fit(`${type.replaceAll("_", " ")}  ${detail.split("\n").join(" · ")}`, left + room - next - 1),
        THEME.text,
      );
    });
    if (shown.length === 0)
      grid.put(left + 1, y + 1, this.projects === undefined ? "" : "No events yet.", THEME.dim, room - 2);
  }
}
