/** What a session changed: files, hunks with their origin, comments. Draws only the visible rows. */
import type { ChangesOptions } from "../../changes/diff/subject.ts";
import type { SessionChanges } from "../../core/changes.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReviewComment } from "../../protocol/review.ts";
import type { MouseEvent } from "../input/input-event.ts";
import { nameOf, type Key } from "../input/key.ts";
import type { Grid, Rect } from "../render/grid.ts";
import type { SessionWork } from "../services.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { LineEditor } from "../views/line-editor.ts";
import { askText } from "../views/prompts.ts";
import { changeRows, commentPlace, fileOf, noteRows, originOf, type ChangeRow } from "./change-rows.ts";
import { commentList } from "./comment-list.ts";
import { drawFiles, drawFoot, drawOrigin, drawTitle, placesIn, type Filter } from "./draw-frame.ts";
import { drawChange } from "./draw-row.ts";
import { sendComments } from "./send-comments.ts";

const WHEEL_ROWS = 3;
/** A message of a session. */
interface MessagePlace {
  agent: string;
  sessionId: string;
  title: string;
  message?: number;
}

export class ChangesView implements View {
  private readonly stage: Stage;
  private readonly title: string;
  private readonly work: SessionWork;
  private readonly openMessage: (message: MessagePlace) => void;
  private readonly closed: (() => void) | undefined;
  private filters: Partial<Record<Filter, true>> = {};
  private changes: SessionChanges | undefined;
  private comments: readonly ReviewComment[] = [];
  private problem = "";
  private rows: ChangeRow[] = [];
  private laidFor: unknown[] = [];
  private readonly folded = new Set<string>();
  private readonly seen = new Map<string, Set<string>>();
  private cursor = 0;
  private top = 0;
  private height = 1;
  /** Where the selection began. */
  private anchor: number | undefined;
  private search: LineEditor | undefined;
  private wanted = "";
  private loads = 0;

  constructor(
    stage: Stage,
    title: string,
    work: SessionWork,
    openMessage: (message: MessagePlace) => void,
    closed?: () => void,
  ) {
    this.stage = stage;
    this.title = title;
    this.work = work;
    this.openMessage = openMessage;
    this.closed = closed;
    void this.load();
  }

  /** What was on the screen counts as looked at. */
  close(): void {
    this.loads = -1;
    const files = [...this.seen].map(([path, hunks]) => ({ path, hunks: [...hunks] }));
    const kept = files.length > 0 ? this.work.looked(files) : Promise.resolve();
    this.stage.attempt(kept.finally(() => this.closed?.()));
  }

  private async load(): Promise<void> {
    const turn = ++this.loads;
    const options: ChangesOptions = { ...this.filters, hunks: true };
    try {
      const comments = this.work.review().then(
        (review) => review.comments,
        // The changes can be read without.
        (error: unknown) => {
          this.stage.say(errorText(error), "bad");
          return [];
        },
      );
      const changes = await this.work.changes(options);
      if (turn !== this.loads) return;
      this.changes = changes;
      this.comments = await comments;
      this.problem = "";
    } catch (error) {
      if (turn !== this.loads) return;
      this.problem = errorText(error);
    }
    this.anchor = undefined;
    this.stage.redraw();
  }

  draw(grid: Grid, area: Rect): Caret | undefined {
    const { changes, stage } = this;
    const { files = [] } = changes ?? {};
    const places = placesIn(area, files.length);
    this.lay(places.lines.width - 1);
    grid.cover(area, THEME.text, 0x20);
    drawTitle(grid, places.title, { name: this.title, changes, filters: Object.keys(this.filters) as Filter[] });
    drawFiles(grid, places.files, files, this.pathAt(this.cursor));
    this.drawRows(grid, places.lines);
    drawOrigin(grid, places.origin, originOf(this.rows[this.cursor]));
    return drawFoot(grid, places.foot, { search: this.search, said: stage.said.at(-1) });
  }

  private drawRows(grid: Grid, { x, y, width, height }: Rect): void {
    this.height = Math.max(1, height);
    this.cursor = Math.max(0, Math.min(this.cursor, this.rows.length - 1));
    this.top = Math.max(0, Math.min(this.top, this.cursor, this.rows.length - this.height));
    if (this.cursor >= this.top + this.height) this.top = this.cursor - this.height + 1;
    const [from, to] = this.selected;
    for (let row = 0; row < this.height; row++) {
      const at = this.top + row;
      const change = this.rows[at];
      if (change === undefined) break;
      const isFolded = change.kind === "file" && this.folded.has(change.file.path);
      drawChange(grid, { x: x + 1, y: y + row, width: width - 1, height: 1 }, change, {
        isFolded,
        loaded: () => this.stage.redraw(),
      });
      if (change.kind === "line" || change.kind === "hunk") this.saw(change);
      const place = { x, y: y + row, width, height: 1 };
      if (this.anchor !== undefined && at >= from && at <= to) grid.tint(place, THEME.selection);
      else if (at === this.cursor) grid.tint(place, THEME.selected);
    }
  }

  key(pressed: Key): void {
    const { keymap } = this.stage;
    if (this.search !== undefined) this.searching(pressed, this.search);
    else this.act(keymap.action("changes", nameOf(pressed)) ?? "");
    this.stage.redraw();
  }

  mouse({ action }: MouseEvent): void {
    if (action === "wheel-up") this.move(-WHEEL_ROWS);
    if (action === "wheel-down") this.move(WHEEL_ROWS);
    this.stage.redraw();
  }

  private act(action: string): void {
    const page = Math.max(1, this.height - 1);
    const steps: Readonly<Record<string, number>> = {
      down: 1, up: -1, "page-down": page, "page-up": -page, "half-page-down": Math.ceil(page / 2),
      "half-page-up": -Math.ceil(page / 2), top: -this.rows.length, bottom: this.rows.length,
    }; // prettier-ignore
    const step = steps[action];
    if (step !== undefined) return this.move(step);
    switch (action) {
      case "next-hunk":
        return this.jump(1, (row) => row.kind === "hunk");
      case "previous-hunk":
        return this.jump(-1, (row) => row.kind === "hunk");
      case "next-file":
        return this.jump(1, (row) => row.kind === "file");
      case "previous-file":
        return this.jump(-1, (row) => row.kind === "file");
      case "next-match":
      case "previous-match":
        return this.find(action === "next-match" ? 1 : -1);
      case "search":
        this.search = new LineEditor();
        return undefined;
      case "select":
        this.anchor = this.anchor === undefined ? this.cursor : undefined;
        return undefined;
      case "open":
        return this.open();
      case "comment":
        return this.comment();
      case "comments":
        return this.stage.push(
          commentList(this.stage, this.work, {
            comments: () => this.comments,
            changed: () => void this.load(),
            show: (comment) => this.show(comment),
          }),
        );
      case "send":
        return sendComments(this.stage, this.work, this.comments, () => void this.load());
      case "staged":
      case "committed":
      case "since-look":
      case "mine":
        return this.toggle(action === "since-look" ? "sinceLook" : action);
      case "refresh":
        void this.load();
        return this.stage.say("Reading the changes again …");
      case "help":
        return this.stage.help(["changes"]);
      case "cancel":
        if (this.anchor === undefined) return this.stage.pop(this);
        this.anchor = undefined;
        return undefined;
      case "close":
        return this.stage.pop(this);
    }
  }

  /** Only one of staged and committed. */
  private toggle(name: Filter): void {
    const other = name === "staged" ? "committed" : name === "committed" ? "staged" : undefined;
    const kept = Object.entries(this.filters).filter(([each]) => each !== name && each !== other);
    const { [name]: was } = this.filters;
    this.filters = { ...Object.fromEntries(kept), ...(was === true ? {} : { [name]: true }) };
    this.cursor = 0;
    void this.load();
  }

  private move(step: number): void {
    this.cursor = Math.max(0, Math.min(this.rows.length - 1, this.cursor + step));
  }

  private jump(step: 1 | -1, isWanted: (row: ChangeRow) => boolean): void {
    for (let at = this.cursor + step; at >= 0 && at < this.rows.length; at += step) {
      if (!isWanted(this.rows[at]!)) continue;
      this.cursor = at;
      // What follows is on the screen too.
      this.top = Math.max(0, at - 2);
      return;
    }
  }

  private searching(pressed: Key, search: LineEditor): void {
    const action = this.stage.keymap.action("prompt", nameOf(pressed));
    if (action === "cancel") this.search = undefined;
    else if (action === "accept") {
      this.wanted = search.text;
      this.search = undefined;
      this.find(1);
    } else search.key(pressed);
  }

  private find(step: 1 | -1): void {
    const wanted = this.wanted.toLowerCase();
    if (wanted === "") return;
    const before = this.cursor;
    this.jump(step, (row) => textOf(row).toLowerCase().includes(wanted));
    if (this.cursor === before) this.stage.say(`"${this.wanted}" not found ${step === 1 ? "below" : "above"}.`);
  }

  /** The message that made the change; a file is folded instead. */
  private open(): void {
    const row = this.rows[this.cursor];
    if (row?.kind === "file") {
      if (!this.folded.delete(row.file.path)) this.folded.add(row.file.path);
      return;
    }
    const origin = originOf(row);
    if (origin?.agent === undefined || origin.sessionId === undefined)
      return this.stage.say(origin?.reason ?? "Move to a changed line first.");
    const { agent, sessionId, messageIndex, sessionTitle } = origin;
    this.openMessage({ agent, sessionId, title: sessionTitle || sessionId, ...optional("message", messageIndex) });
  }

  private comment(): void {
    const [from, to] = this.selected;
    const place = commentPlace(this.rows.slice(from, to + 1));
    if (typeof place === "string") return this.stage.say(place);
    const { file, line, end_line: end } = place;
    const lines = line === end ? String(line) : `${line}-${end}`;
    const title = `Comment on ${file}:${lines}${place.side === "old" ? " (removed)" : ""}`;
    const add = async (text: string): Promise<void> => {
      this.comments = (await this.work.comment({ add: { ...place, text } })).comments;
      this.anchor = undefined;
      this.stage.say("Comment kept. S sends all.", "good");
    };
    askText(this.stage, title, "", (text) => {
      if (text.trim() !== "") this.stage.attempt(add(text));
    });
  }

  private show({ id }: ReviewComment): void {
    const at = this.rows.findIndex((row) => row.kind === "comment" && row.comment.id === id);
    if (at === -1) return this.stage.say("Its lines are not among the changes shown.");
    this.cursor = at;
    this.top = Math.max(0, at - Math.floor(this.height / 2));
  }

  /** The selected rows, or the one with the cursor. */
  private get selected(): readonly [from: number, to: number] {
    const { cursor, anchor = cursor } = this;
    return [Math.min(cursor, anchor), Math.max(cursor, anchor)];
  }

  private pathAt(cursor: number): string | undefined {
    for (let at = cursor; at >= 0; at--) {
      const file = fileOf(this.rows[at]);
      if (file !== undefined) return file.path;
    }
    return undefined;
  }

  private saw({ file, hunk }: { file: { path: string }; hunk: { id?: string } }): void {
    if (hunk.id === undefined) return;
    const ids = this.seen.get(file.path) ?? new Set();
    this.seen.set(file.path, ids.add(hunk.id));
  }

  /** Rows are made anew only if something changed. */
  private lay(width: number): void {
    const made = [this.changes, this.comments, this.problem, width, [...this.folded].join("\n")];
    if (made.every((value, at) => value === this.laidFor[at])) return;
    this.laidFor = made;
    const { changes, comments, folded, problem } = this;
    if (problem !== "") this.rows = noteRows([problem], width);
    else if (changes === undefined) this.rows = [{ kind: "note", text: "Reading the changes …" }];
    else this.rows = changeRows(changes, { comments, folded, width });
  }
}

function textOf(row: ChangeRow): string {
  if (row.kind === "file") return row.file.path;
  if (row.kind === "hunk") return "";
  return row.kind === "line" ? (row.hunk.lines[row.at]?.text ?? "") : row.text;
}
