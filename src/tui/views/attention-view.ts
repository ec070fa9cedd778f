/**
 * Who is waiting, for what and since when, and answering without attaching: `y` and `n` allow and deny through the
 * agent's own hook where one waits; digits, enter and escape are typed as they are; `t` says something. The session's own
 * screen is shown beside the question, so that nobody answers blindly.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { askRunner } from "../../client/runner-http.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { AttentionItem } from "../../status/attention.ts";
import { tmuxSocketOf } from "../../status/kept-evidence.ts";
import { age } from "../dashboard/figures.ts";
import { Preview } from "../dashboard/preview.ts";
import type { Row } from "../data/row.ts";
import { nameOf, type Key } from "../input/key.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, padded } from "../render/text-width.ts";
import { statusLook, THEME } from "../theme.ts";
import type { Stage, View } from "../view.ts";
import { hints, panel } from "./panel.ts";
import { PromptView } from "./prompts.ts";

const SNOOZE_MS = 600_000;

const STATUS_OF = { permission: "permission", question: "waiting", error: "error", finished: "done" } as const;

/** Keys that answer, with what is typed for them and tmux's name of the key. */
const ANSWERS: Readonly<Record<string, { bytes: string; tmux: string }>> = {
  y: { bytes: "y", tmux: "y" },
  n: { bytes: "n", tmux: "n" },
  enter: { bytes: "\r", tmux: "Enter" },
  backspace: { bytes: "\x1b", tmux: "Escape" },
  ...Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [String(at + 1), { bytes: String(at + 1), tmux: String(at + 1) }]),
  ),
};

export class AttentionView implements View {
  private readonly stage: Stage;
  private readonly preview: Preview;
  private items: readonly AttentionItem[] = [];
  private selected = 0;

  constructor(stage: Stage) {
    this.stage = stage;
    this.preview = new Preview(stage);
  }

  close(): void {
    this.preview.close();
  }

  draw(grid: Grid, area: Rect): undefined {
    this.items = this.stage.board.attention();
    this.selected = Math.max(0, Math.min(this.selected, this.items.length - 1));
    const inside = panel(grid, area, `Waiting for you (${this.items.length})`, "esc close");
    if (this.items.length === 0) {
      grid.put(inside.x, inside.y + 1, "Nobody is waiting for you.", THEME.panelDim, inside.width);
      return;
    }
    const height = Math.min(this.items.length, Math.max(3, Math.floor(inside.height / 3)));
    const top = Math.max(0, Math.min(this.selected - height + 1, this.items.length - height));
    this.items
      .slice(top, top + height)
      .forEach((item, at) =>
        this.drawItem(grid, { ...inside, y: inside.y + at, height: 1 }, item, top + at === this.selected),
      );
    const pairs = [
      ["y n", "allow, deny"],
      ["1-9", "choose"],
      ["enter", "accept"],
      ["backspace", "escape"],
      ["t", "say something"],
      ["s", "later"],
      ["o", "open"],
      ["d", "dismiss"],
      ["j k", "move"],
    ] as const;
    hints(grid, { ...inside, y: inside.y + height }, pairs, THEME.panelKey, THEME.panelDim);
    this.preview.show(this.row);
    const below = { ...inside, y: inside.y + height + 1, height: inside.height - height - 1 };
    if (below.height < 2) return;
    grid.cover(below);
    this.preview.draw(grid, below, true);
  }

  key(pressed: Key): void {
    const name = nameOf(pressed);
    const item = this.items[this.selected];
    if (["esc", "q", "ctrl+c"].includes(name)) this.stage.pop(this);
    else if (name === "j" || name === "down") this.selected = (this.selected + 1) % Math.max(1, this.items.length);
    else if (name === "k" || name === "up")
      this.selected = (this.selected - 1 + this.items.length) % Math.max(1, this.items.length);
    else if (item !== undefined) this.actOn(item, name);
    this.stage.redraw();
  }

  private get row(): Row | undefined {
    const item = this.items[this.selected];
    return item === undefined ? undefined : this.stage.board.rows().find((row) => row.view?.ref === item.ref);
  }

  private actOn(item: AttentionItem, name: string): void {
    const { stage, row } = this;
    const answer = ANSWERS[name];
    const typed = (): Promise<void> =>
      answer === undefined ? Promise.resolve() : this.send(item, answer.bytes, [answer.tmux]);
    if (name === "y" || name === "n") return stage.attempt(this.decide(item, name === "y" ? "allow" : "deny", typed));
    if (answer !== undefined) return stage.attempt(typed());
    if (name === "t") {
      const say = (text: string): Promise<void> =>
        this.decide(item, text, () => this.send(item, `${text}\r`, ["-l", text], ["Enter"]));
      stage.push(new PromptView(stage, `Tell ${item.name}`, "", (text) => stage.attempt(say(text))));
    } else if (name === "s") {
      stage.services.snoozes.set(item.ref, Date.now() + SNOOZE_MS, Date.now());
      stage.board.refresh();
      stage.say(`${item.name} is quiet for ten minutes.`);
    } else if (name === "o" && row !== undefined) {
      stage.pop(this);
      if (row.kind === "live") stage.attempt(stage.openSession(row.key));
    } else if (name === "d" && row?.kind === "live") {
      const { socket } = stage.services.client.files(row.key);
      stage.attempt(askRunner(socket, { method: "POST", path: "/read" }).then(() => stage.board.refresh()));
    }
  }

  /** An agent whose way of being answered is not known is typed at. */
  private async decide(item: AttentionItem, answer: string, type: () => Promise<void>): Promise<void> {
    const { view } = this.row ?? {};
    if (view === undefined) return type();
    try {
      const { confirmed, state } = await this.stage.services.answer(view, answer);
      this.stage.say(
        confirmed ? `Answered ${item.name}.` : `${item.name} was not seen to go on; it is ${state ?? "unknown"}.`,
        confirmed ? "good" : "bad",
      );
    } catch (error) {
      if (!(error instanceof AgentMuxError) || error.code !== "CAPABILITY_ERROR") throw error;
      await type();
    }
    this.stage.board.refresh();
  }

  private async send(item: AttentionItem, bytes: string, ...tmuxKeys: readonly (readonly string[])[]): Promise<void> {
    const { services } = this.stage;
    if (item.place === "amux") {
      await askRunner(services.client.files(item.ref).socket, { method: "POST", path: "/input", body: bytes });
    } else {
      const file = services.statusFiles.read(item.name);
      const socket = file === undefined ? undefined : tmuxSocketOf(file);
      const where = socket === undefined ? [] : ["-S", socket];
      for (const keys of tmuxKeys)
        await promisify(execFile)("tmux", [...where, "send-keys", "-t", `=${item.name}:`, ...keys], { timeout: 2000 });
    }
    this.stage.say(`Answered ${item.name}.`, "good");
  }

  private drawItem(grid: Grid, { x, y, width }: Rect, item: AttentionItem, isSelected: boolean): void {
    const base = isSelected ? THEME.panelSelected : THEME.panel;
    if (isSelected) grid.cover({ x: x - 1, y, width: width + 2, height: 1 }, base, 0x20);
    const { icon, look } = statusLook(STATUS_OF[item.reason]);
    grid.put(x, y, icon, { fg: look.fg, bg: base.bg });
    const who = item.member === undefined ? item.name : `${item.name} · ${item.member}`;
    const end = grid.put(
      x + 2,
      y,
      `${padded(item.reason, 10)} ${padded(age(item.since, Date.now()), 4, "right")}  ${fit(who, 30)}`,
      base,
      width - 2,
    );
    const left = x + width - end - 2;
    if (left > 3)
      grid.put(end + 2, y, fit(item.text ?? "", left), isSelected ? THEME.selectedDim : THEME.panelDim, left);
  }
}
