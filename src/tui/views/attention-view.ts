/**
 * The waiting sessions, with answers that need no attach: an option by its number, allow, deny, or text. Enter and
 * escape are sent as keys. The session's screen is shown beside the question.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AgentMuxError } from "../../core/errors.ts";
import type { OfferedOption } from "../../core/offer.ts";
import { isOfSession, type AttentionItem } from "../../status/attention.ts";
import { tmuxSocketOf } from "../../status/stored-evidence.ts";
import { age } from "../dashboard/figures.ts";
import { Preview } from "../dashboard/preview.ts";
import { open } from "../dashboard/row-actions.ts";
import type { Row } from "../data/row.ts";
import { answerRemote, markRead, messageRemote, typeInto } from "../data/session-actions.ts";
import { nameOf, type Key } from "../input/key.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, padded } from "../render/text-width.ts";
import { statusLook, THEME } from "../theme.ts";
import type { Stage, View } from "../view.ts";
import { hints, panel } from "./panel.ts";
import { askText } from "./prompts.ts";

const SNOOZE_MS = 600_000;

/** The number of keys for options. */
const MAX_OPTIONS = 9;

const STATUS_OF = {
  permission: "permission",
  question: "waiting",
  error: "error",
  limit: "error",
  budget: "error",
  finished: "done",
  queue: "waiting",
  conflict: "waiting",
} as const;

/** Actions that send a key: the bytes, and tmux's name for it. */
const TYPED: Readonly<Record<string, { bytes: string; tmux: string }>> = {
  accept: { bytes: "\r", tmux: "Enter" },
  escape: { bytes: "\x1b", tmux: "Escape" },
};

const HINTS = [
  ["allow", "allow"],
  ["deny", "deny"],
  ["choose-1", "…9 choose"],
  ["accept", "accept"],
  ["escape", "escape"],
  ["say", "reply"],
  ["snooze", "later"],
  ["open", "open"],
  ["dismiss", "dismiss"],
] as const;

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
    const { keymap } = this.stage;
    this.update();
    const hint = `${keymap.keyOf("attention", "close")} close`;
    const inside = panel(grid, area, `Needs you (${this.items.length})`, hint);
    if (this.items.length === 0) {
      grid.put(inside.x, inside.y + 1, "No session needs you.", THEME.panelDim, inside.width);
      return;
    }
    const height = Math.min(this.items.length, Math.max(3, Math.floor(inside.height / 3)));
    const top = Math.max(0, Math.min(this.selected - height + 1, this.items.length - height));
    this.items
      .slice(top, top + height)
      .forEach((item, at) =>
        drawItem(grid, { ...inside, y: inside.y + at, height: 1 }, item, top + at === this.selected),
      );
    const pairs = HINTS.map(([action, does]) => [keymap.keyOf("attention", action), does] as const);
    hints(grid, { ...inside, y: inside.y + height }, pairs, THEME.panelKey, THEME.panelDim);
    this.preview.show(this.row);
    const used = height + 1 + this.drawOptions(grid, { ...inside, y: inside.y + height + 1 });
    const below = { ...inside, y: inside.y + used, height: inside.height - used };
    if (below.height < 2) return;
    grid.cover(below);
    this.preview.draw(grid, below, true);
  }

  /** Draws the options with their keys; returns the number of lines. */
  private drawOptions(grid: Grid, { x, y, width }: Rect): number {
    const { options = [] } = this.items[this.selected] ?? {};
    const shown = options.slice(0, MAX_OPTIONS);
    shown.forEach(({ label, takes_text }, at) => {
      const end = grid.put(x, y + at, padded(keyFor(options, at), 3), THEME.panelKey, width);
      grid.put(
        end,
        y + at,
        fit(takes_text === true ? `${label} (takes text)` : label, width - 3),
        THEME.panel,
        width - 3,
      );
    });
    return shown.length;
  }

  key(pressed: Key): void {
    const action = this.stage.keymap.action("attention", nameOf(pressed));
    // The answer is for the question that was shown, even if another one arrived since.
    if (this.items.length === 0) this.update();
    const item = this.items[this.selected];
    const count = Math.max(1, this.items.length);
    if (action === "close") this.stage.pop(this);
    else if (action === "down") this.selected = (this.selected + 1) % count;
    else if (action === "up") this.selected = (this.selected - 1 + count) % count;
    else if (item !== undefined && action !== undefined) this.actOn(item, action);
    this.stage.redraw();
  }

  /** Keeps the selection when others are inserted before it. */
  private update(): void {
    const before = this.items[this.selected];
    this.items = this.stage.board.attention();
    const same = this.items.findIndex((item) => item.ref === before?.ref && item.agent === before.agent);
    this.selected = same === -1 ? Math.max(0, Math.min(this.selected, this.items.length - 1)) : same;
  }

  private get row(): Row | undefined {
    const item = this.items[this.selected];
    return item && this.rowOf(item);
  }

  private rowOf(item: AttentionItem): Row | undefined {
    return this.stage.board.rows().find((row) => (row.view?.ref ?? row.key) === (item.sessions?.[0] ?? item.ref));
  }

  private actOn(item: AttentionItem, action: string): void {
    const { stage } = this;
    // No session that could be answered: its text says what it is about.
    const isOther = !isOfSession(item) && action !== "snooze" && !(action === "open" && item.sessions !== undefined);
    if (isOther) return stage.say(item.text ?? item.name);
    const row = this.rowOf(item);
    const typed = TYPED[action];
    if (typed !== undefined) return stage.attempt(this.send(item, typed.bytes, typed.tmux));
    const picked = /^choose-(\d)$/.exec(action)?.[1];
    if (picked !== undefined) return stage.attempt(this.answer(item, answerFor(item, picked)));
    if (action === "allow" || action === "deny") return stage.attempt(this.answer(item, action));
    if (action === "say") {
      const isMessage = item.reason !== "permission" && item.reason !== "question";
      const say = (text: string): void => stage.attempt(isMessage ? this.message(item, text) : this.answer(item, text));
      askText(stage, `Reply to ${item.name}`, "", say);
    } else if (action === "snooze") {
      stage.services.snoozes.set(item.ref, Date.now() + SNOOZE_MS, Date.now());
      stage.board.refresh();
      stage.say(`${item.name} is snoozed for 10 minutes.`);
    } else if (action === "open" && row !== undefined) {
      stage.pop(this);
      stage.attempt(open(stage, row));
    } else if (action === "dismiss" && (row?.kind === "live" || row?.kind === "peer"))
      stage.attempt(markRead(stage.services, row.key).then(() => stage.board.refresh()));
  }

  private async answer(item: AttentionItem, answer: string): Promise<void> {
    const { services } = this.stage;
    // Not the selected session, which may have changed since the prompt was opened.
    const { view } = this.rowOf(item) ?? {};
    const receipt =
      view === undefined
        ? await answerRemote(services, item.ref, answer, item.asked)
        : await services.answer(view, answer, item.asked);
    if (receipt === undefined) throw new AgentMuxError("SESSION_NOT_FOUND", `${item.name} is not running.`);
    const { confirmed, state, option } = receipt;
    this.stage.say(
      confirmed
        ? `Answered ${item.name}${option === undefined ? "" : `: ${option}`}.`
        : `${item.name} did not accept the answer; it is ${state ?? "unknown"}.`,
      confirmed ? "good" : "bad",
    );
    this.stage.board.refresh();
  }

  private async message(item: AttentionItem, text: string): Promise<void> {
    const { services } = this.stage;
    const { view } = this.rowOf(item) ?? {};
    const { confirmed, state } = await (view === undefined
      ? messageRemote(services, item.ref, text)
      : services.message(view, text));
    this.stage.say(
      confirmed ? `Sent to ${item.name}.` : `${item.name} did not accept the message; it is ${state ?? "unknown"}.`,
      confirmed ? "good" : "bad",
    );
    this.stage.board.refresh();
  }

  private async send(item: AttentionItem, bytes: string, tmuxKey: string): Promise<void> {
    const { services } = this.stage;
    if (item.place === "amux") {
      await typeInto(services, item.ref, bytes);
    } else {
      const file = services.statusFiles.read(item.name);
      const socket = file === undefined ? undefined : tmuxSocketOf(file);
      const where = socket === undefined ? [] : ["-S", socket];
      const args = [...where, "send-keys", "-t", `=${item.name}:`, tmuxKey];
      await promisify(execFile)("tmux", args, { timeout: 2000 });
    }
    this.stage.say(`Typed into ${item.name}.`, "good");
  }
}

/** Its number, or its index if none has a number. */
function keyFor(options: readonly OfferedOption[], at: number): string {
  return options.some(({ number }) => number !== undefined) ? (options[at]!.number ?? " ") : String(at + 1);
}

/** An option without a number is named by its text: a number would mean another option on the screen. */
function answerFor({ options = [] }: AttentionItem, picked: string): string {
  const option = options.find((_, at) => keyFor(options, at) === picked);
  return option === undefined ? picked : (option.number ?? option.label);
}

function drawItem(grid: Grid, { x, y, width }: Rect, item: AttentionItem, isSelected: boolean): void {
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
  if (left > 3) grid.put(end + 2, y, fit(item.text ?? "", left), isSelected ? THEME.selectedDim : THEME.panelDim, left);
}
