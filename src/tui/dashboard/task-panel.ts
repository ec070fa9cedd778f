/** The tasks of the selected session's project, from its task provider. */
import { errorText } from "../../lib/text/error-text.ts";
import { oneLine } from "../../lib/text/text.ts";
import { resolveCurrentPbi, type CurrentPbi } from "../../status/tasks/current-pbi.ts";
import { taskConfigOf, noTaskProvider, type TaskConfig } from "../../status/tasks/task-config.ts";
import type { TaskCategory, TaskList } from "../../status/tasks/task-list.ts";
import { programsOf, TaskService } from "../../status/tasks/task-service.ts";
import { TrustFile, type ProjectPrograms } from "../../status/trust.ts";
import { optional } from "../../lib/values/optional.ts";
import { amuxHome } from "../../lib/fs/paths.ts";
import type { Row } from "../data/row.ts";
import { nameOf, type Key } from "../input/key.ts";
import type { Grid, Rect } from "../render/grid.ts";
import type { Style } from "../render/style.ts";
import { fit, widthOf, wrapped } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage } from "../view.ts";
import { LineEditor } from "../views/line-editor.ts";
import { openAddress } from "../views/open-address.ts";
import { keyOf, TASK_FILTERS, TASK_SORTS, taskLines, type TaskLine, type TaskOrder } from "./task-tree.ts";

const MARKS: Readonly<Record<TaskCategory, { mark: string; look: Style }>> = {
  done: { mark: "✓", look: THEME.good },
  active: { mark: "●", look: THEME.accentBold },
  review: { mark: "◆", look: THEME.warn },
  blocked: { mark: "✗", look: THEME.bad },
  todo: { mark: "○", look: THEME.text },
  other: { mark: "·", look: THEME.dim },
};

interface Loaded {
  config?: TaskConfig;
  list?: TaskList;
  current?: CurrentPbi | undefined;
  problem?: string;
  /** A program of the project; it runs only if the user trusts it. */
  untrusted?: ProjectPrograms;
}

export class TaskPanel {
  private readonly stage: Stage;
  private service: TaskService;
  private row: Row | undefined;
  private loaded: Loaded | undefined;
  private order: TaskOrder = { filter: "all", sort: "source", isReversed: false };
  private readonly folded = new Set<string>();
  /** Only the group of the selected task is expanded. */
  private isAccordion = false;
  private lines: TaskLine[] = [];
  private selected = 0;
  private top = 0;
  private search: LineEditor | undefined;
  private wanted = "";

  constructor(stage: Stage) {
    this.stage = stage;
    this.service = new TaskService(stage.services.env);
  }

  get title(): string {
    const { filter, sort, isReversed } = this.order;
    const marks = [filter === "all" ? "" : filter, sort === "source" ? "" : `by ${sort}`, isReversed ? "reversed" : ""];
    return ["tasks", ...marks.filter((mark) => mark !== "")].join(" · ");
  }

  get isTyping(): boolean {
    return this.search !== undefined;
  }

  /** The selected row; its directory determines the tasks. */
  show(row: Row | undefined): void {
    const isSame = row?.cwd === this.row?.cwd && (row === undefined) === (this.row === undefined);
    this.row = row;
    if (isSame) return;
    this.loaded = undefined;
    this.folded.clear();
    this.selected = 0;
    if (row !== undefined) void this.load(row);
  }

  close(): void {
    this.row = undefined;
    this.loaded = undefined;
    this.search = undefined;
  }

  act(action: string): boolean {
    const { order } = this;
    const line = this.lines[this.selected];
    switch (action) {
      case "down":
      case "up":
        this.move(action === "down" ? 1 : -1);
        return true;
      case "top":
      case "bottom":
        this.move(action === "top" ? -this.lines.length : this.lines.length);
        return true;
      case "next-group":
      case "previous-group":
        this.find(action === "next-group" ? 1 : -1, (other) => other.kind === "group");
        return true;
      case "open":
        this.open(line);
        return true;
      case "toggle":
        this.toggle(line);
        return true;
      case "sort":
        this.order = { ...order, sort: after(TASK_SORTS, order.sort) };
        return true;
      case "reverse":
        this.order = { ...order, isReversed: !order.isReversed };
        return true;
      case "filter":
        this.order = { ...order, filter: after(TASK_FILTERS, order.filter) };
        return true;
      case "expand-all":
        this.isAccordion = false;
        if (this.folded.size === 0) for (const key of this.groupKeys()) this.folded.add(key);
        else this.folded.clear();
        return true;
      case "accordion":
        this.isAccordion = !this.isAccordion;
        if (!this.isAccordion) this.folded.clear();
        this.unfoldOnly();
        return true;
      case "search":
        this.search = new LineEditor();
        return true;
      case "next-match":
      case "previous-match":
        this.find(
          action === "next-match" ? 1 : -1,
          (other) => this.wanted !== "" && wordsOf(other).includes(this.wanted),
        );
        return true;
      case "refresh":
        this.service = new TaskService(this.stage.services.env);
        if (this.row !== undefined) void this.load(this.row);
        return true;
      default:
        return false;
    }
  }

  typed(pressed: Key): true {
    const { search } = this;
    const action = this.stage.keymap.action("prompt", nameOf(pressed));
    if (action === "accept" || action === "cancel") {
      this.search = undefined;
      this.wanted = action === "accept" ? (search?.text.toLowerCase() ?? "") : "";
      if (this.wanted !== "") this.find(1, (line) => wordsOf(line).includes(this.wanted), this.selected);
    } else search?.key(pressed);
    return true;
  }

  move(step: number): void {
    this.selected = Math.max(0, Math.min(this.lines.length - 1, this.selected + step));
    this.unfoldOnly();
  }

  draw(grid: Grid, area: Rect, hasKeys: boolean): Caret | undefined {
    const { loaded, search } = this;
    if (loaded?.list === undefined) {
      drawWords(grid, area, this.words(loaded));
      return undefined;
    }
    this.update();
    const head = this.drawCurrent(grid, area, loaded);
    const rows = { ...area, y: area.y + head, height: area.height - head - (search === undefined ? 0 : 1) };
    this.top = Math.max(0, Math.min(Math.max(this.top, this.selected - rows.height + 1), this.selected));
    this.lines.slice(this.top, this.top + rows.height).forEach((line, at) => {
      const isSelected = hasKeys && this.top + at === this.selected;
      drawLine(grid, { ...rows, y: rows.y + at, height: 1 }, line, isSelected);
    });
    if (this.lines.length === 0)
      drawWords(grid, rows, [this.order.filter === "all" ? "No tasks." : `No ${this.order.filter} tasks.`]);
    if (search === undefined) return undefined;
    const y = area.y + area.height - 1;
    const end = grid.put(area.x, y, "/", THEME.accentBold);
    return search.draw(grid, end, y, area.width - 2, THEME.text);
  }

  private drawCurrent(grid: Grid, { x, y, width }: Rect, { current }: Loaded): number {
    if (current === undefined) return 0;
    const text = `▶ ${oneLine(`${current.id} ${current.title}`)} (${current.source.replaceAll("_", " ")})`;
    grid.put(x, y, fit(text, width - 1), THEME.accentBold);
    return 1;
  }

  private words(loaded: Loaded | undefined): string[] {
    if (this.row === undefined) return [];
    if (loaded === undefined) return ["Loading tasks …"];
    if (loaded.untrusted !== undefined) {
      const key = this.stage.keymap.keyOf("tasks", "open");
      return [
        `The tasks of ${loaded.untrusted.directory} come from a program of the project:`,
        ...loaded.untrusted.files.map((path) => `  ${path}`),
        `It runs with your rights. Press ${key} to trust it until it changes.`,
      ];
    }
    if (loaded.problem !== undefined) return [loaded.problem];
    return [noTaskProvider(this.row.cwd)];
  }

  private update(): void {
    const { list, config, current } = this.loaded ?? {};
    if (list === undefined) return;
    const kept = this.lines[this.selected]?.key;
    this.lines = taskLines(list, {
      ...this.order,
      folded: this.folded,
      statusMap: config?.statusMap ?? {},
      ...(current === undefined ? {} : { current: current.id }),
    });
    const at = this.lines.findIndex(({ key }) => key === kept);
    this.selected = Math.max(0, Math.min(at === -1 ? this.selected : at, this.lines.length - 1));
  }

  private async load(row: Row): Promise<void> {
    const { env } = this.stage.services;
    let loaded: Loaded;
    try {
      const config = await taskConfigOf(env, row.cwd);
      loaded = config === undefined ? {} : { config, ...(await this.ask(row, config)) };
    } catch (error) {
      loaded = { problem: errorText(error) };
    }
    if (this.row?.cwd !== row.cwd) return;
    this.loaded = loaded;
    this.update();
    this.stage.redraw();
  }

  private async ask({ cwd, view }: Row, config: TaskConfig): Promise<Loaded> {
    const [answer, git] = await Promise.all([this.service.tasks(config), this.stage.board.gitNow(cwd)]);
    if ("error" in answer) {
      const untrusted = answer.error.kind === "untrusted" ? programsOf(config, this.stage.services.env) : undefined;
      return { problem: answer.error.message, ...optional("untrusted", untrusted) };
    }
    const current = resolveCurrentPbi({
      list: answer.list,
      sessions:
        view?.currentPbiSource === undefined
          ? [{ pbi: view?.currentPbi ?? "", title: view?.currentPbiTitle ?? "", timestamp: view?.updatedMs ?? 0 }]
          : [],
      branch: git?.branch ?? "",
      branchPatterns: config.branchPatterns,
    });
    return { list: answer.list, current };
  }

  private open(line: TaskLine | undefined): void {
    if (this.loaded?.untrusted !== undefined) return this.trust(this.loaded.untrusted);
    const url = line?.kind === "group" ? line.group.url : line?.task.url;
    if (url !== undefined) openAddress(this.stage, url);
    else if (line?.kind === "group") this.toggle(line);
    else this.stage.say("This task has no link.");
  }

  private trust(programs: ProjectPrograms): void {
    const { env } = this.stage.services;
    new TrustFile(amuxHome(env)).trust(programs, new Date());
    this.loaded = undefined;
    if (this.row !== undefined) void this.load(this.row);
  }

  private toggle(line: TaskLine | undefined): void {
    if (line === undefined) return;
    const key = line.kind === "group" ? line.key : line.group;
    if (this.folded.has(key)) this.folded.delete(key);
    else this.folded.add(key);
    this.update();
    const at = this.lines.findIndex((other) => other.kind === "group" && other.key === key);
    if (at !== -1) this.selected = at;
  }

  private groupKeys(): string[] {
    return (this.loaded?.list?.groups ?? []).map(keyOf);
  }

  private unfoldOnly(): void {
    const line = this.lines[this.selected];
    if (!this.isAccordion || line === undefined) return;
    const own = line.kind === "group" ? line.key : line.group;
    for (const key of this.groupKeys()) this.folded.add(key);
    this.folded.delete(own);
    this.update();
  }

  private find(step: 1 | -1, isWanted: (line: TaskLine) => boolean, from = this.selected + step): void {
    for (let at = from; at >= 0 && at < this.lines.length; at += step) {
      if (isWanted(this.lines[at] as TaskLine)) {
        this.selected = at;
        return this.unfoldOnly();
      }
    }
  }
}

function wordsOf(line: TaskLine): string {
  return (
    line.kind === "group" ? `${line.group.id} ${line.group.title}` : `${line.task.id} ${line.task.title}`
  ).toLowerCase();
}

function drawWords(grid: Grid, { x, y, width }: Rect, texts: readonly string[]): void {
  texts
    .flatMap((text) => wrapped(text, width - 1))
    .forEach((text, at) => grid.put(x, y + at, text, THEME.dim, width - 1));
}

function drawLine(grid: Grid, { x, y, width }: Rect, line: TaskLine, isSelected: boolean): void {
  if (isSelected) grid.cover({ x, y, width, height: 1 }, THEME.selected, 0x20);
  const look = (own: Style): Style => (isSelected ? THEME.selected : own);
  const room = width - 1;
  if (line.kind === "group") {
    const { group, done, isFolded, isCurrent } = line;
    const count = `${done}/${group.tasks.length}${group.status === undefined ? "" : `  ${oneLine(group.status)}`}`;
    const title = oneLine([group.id, group.title].filter((part) => part !== "").join(" "));
    const own = isCurrent ? THEME.accentBold : THEME.bold;
    const end = grid.put(
      x,
      y,
      fit(`${isFolded ? "▸" : "▾"} ${title}`, Math.max(0, room - widthOf(count) - 2)),
      look(own),
      room,
    );
    grid.put(end + 2, y, count, look(THEME.dim), Math.max(0, x + room - end - 2));
    return;
  }
  const { task, category } = line;
  const { mark, look: own } = MARKS[category];
  const tail = [task.assignee === undefined ? "" : `@${oneLine(task.assignee)}`, oneLine(task.status)]
    .filter((part) => part !== "")
    .join("  ");
  grid.put(x + 2, y, mark, look(own));
  const end = grid.put(
    x + 4,
    y,
    fit(oneLine(`${task.id.padEnd(6)} ${task.title}`), Math.max(0, room - 6 - widthOf(tail))),
    look(category === "done" ? THEME.dim : THEME.text),
    room,
  );
  grid.put(end + 2, y, tail, look(THEME.dim), Math.max(0, x + room - end - 2));
}

function after<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] as T;
}
