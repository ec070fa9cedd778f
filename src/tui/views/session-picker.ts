/** A picker of sessions: switch, add as a pane, start, rename or end. */
import { endSession, renameSession } from "../data/session-actions.ts";
import { age, tildePath } from "../dashboard/figures.ts";
import { NO_FILTER, shownRows } from "../data/row-order.ts";
import { MAIN_PTY } from "../layout/pane-id.ts";
import { statusLook } from "../theme.ts";
import type { Stage } from "../view.ts";
import { ListView, type ListItem } from "./list-view.ts";
import { ChoiceView, PromptView } from "./prompts.ts";

export function sessionPicker(stage: Stage): ListView {
  return new ListView(stage, {
    title: "Sessions",
    hint: "enter switch  tab beside  ^n new  ^r rename  ^x end",
    items: () => items(stage),
    act: (action, item, _filter, view) => act(stage, action, item, view),
  });
}

function items(stage: Stage): ListItem[] {
  const now = Date.now();
  const rows = shownRows(stage.board.rows(), { ...NO_FILTER, scope: "live" }, "priority");
  return rows
    .filter(({ kind, peer }) => kind === "live" || (peer?.alive === true && !peer.unreachable))
    .map((row) => {
      const { icon, look } = statusLook(row.status);
      return {
        id: row.key,
        label: `${row.key === stage.openSessionId ? "▸ " : ""}${row.name}${row.message === "" ? "" : `  ${row.message}`}`,
        detail: `${stage.services.agentLabel(row.agent)}  ${tildePath(row.cwd, stage.services.env.home, 30)}  ${age(row.updatedMs, now)}`,
        icon: { text: icon, look },
        words: row.key,
      };
    });
}

function act(stage: Stage, action: string, item: ListItem | undefined, view: ListView): void {
  if (action === "create") {
    view.close();
    return stage.act("new-session");
  }
  if (item === undefined) return;
  switch (action) {
    case "choose":
      view.close();
      return stage.attempt(stage.openSession(item.id));
    case "choose-beside":
      view.close();
      return stage.addPane(item.id, MAIN_PTY);
    case "rename": {
      const rename = async (text: string): Promise<void> => {
        await renameSession(stage.services, item.id, text);
        stage.board.refresh();
      };
      const name = stage.board.titleOf(item.id) ?? "";
      return stage.push(new PromptView(stage, "Rename", name, (text) => stage.attempt(rename(text))));
    }
    case "delete":
      return stage.push(
        new ChoiceView(stage, `End ${stage.board.titleOf(item.id) ?? item.id}?`, [
          {
            key: "y",
            does: "end it",
            run: () => stage.attempt(endSession(stage.services, item.id).then(() => stage.board.refresh())),
          },
        ]),
      );
    default:
      return undefined;
  }
}
