/** Connections to the panes of the visible workspace. */
import type { ShimConnection } from "../../client/shim-connection.ts";
import { openTerminals } from "../data/terminals.ts";
import { refOf } from "../layout/pane-id.ts";
import { LATE_AFTER_MS, Pane, type PaneEnd, type PaneRef } from "../panes/pane.ts";
import type { Stage } from "../view.ts";

export interface PaneSetListener {
  onTitle(id: string, title: string): void;
  onNotification(id: string, text: string): void;
  onEnd(id: string, ref: PaneRef, end: PaneEnd): void;
}

export interface Size {
  cols: number;
  rows: number;
}

export class PaneSet {
  private readonly stage: Stage;
  private readonly listener: PaneSetListener;
  private readonly panes = new Map<string, Pane>();
  private onReady: (() => void) | undefined;

  constructor(stage: Stage, listener: PaneSetListener) {
    this.stage = stage;
    this.listener = listener;
  }

  get(id: string | undefined): Pane | undefined {
    return this.panes.get(id ?? "");
  }

  /** Connects to these and disconnects all others. */
  follow(ids: readonly string[], sizeOf: (id: string) => Size): void {
    const wanted = new Set(ids);
    for (const [id, pane] of this.panes) {
      if (wanted.has(id)) continue;
      pane.close();
      this.panes.delete(id);
    }
    for (const id of wanted) {
      const ref = refOf(id);
      if (!this.panes.has(id) && ref !== undefined) this.panes.set(id, this.open(id, ref, sizeOf(id)));
    }
  }

  /** The focused one, if any. */
  focus(focused: string | undefined): void {
    for (const [id, pane] of this.panes) pane.focus(id === focused);
  }

  /** Resolves when all panes have a screen or have failed; a late one shows a placeholder. */
  ready(): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.onReady = undefined;
        resolve();
      };
      const timer = setTimeout(finish, LATE_AFTER_MS);
      this.onReady = () => {
        if ([...this.panes.values()].every((pane) => pane.ready || pane.end !== undefined)) finish();
      };
      this.onReady();
    });
  }

  close(): void {
    for (const pane of this.panes.values()) pane.close();
    this.panes.clear();
  }

  private open(id: string, ref: PaneRef, size: Size): Pane {
    const { stage, listener } = this;
    const connect = (): Promise<ShimConnection> => openTerminals(stage.services, ref.sessionId);
    return new Pane({ ...ref, connect, budget: stage.budget, watchOnly: false }, size, {
      onChange: (isEcho) => {
        if (this.panes.get(id)?.ready === true) this.onReady?.();
        stage.redraw(isEcho);
      },
      onEnd: (end) => {
        this.onReady?.();
        listener.onEnd(id, ref, end);
      },
      onTitle: (title) => listener.onTitle(id, title),
      onBell: () => undefined,
      onNotification: (text) => listener.onNotification(id, text),
      onClipboard: (base64) => stage.copy(Buffer.from(base64, "base64").toString("utf8")),
    });
  }
}
