/** Saves the visible panes as a template, and applies one. */
import type { Workbench } from "../workbench/workbench.ts";
import {
  filled,
  listTemplates,
  readTemplate,
  removeTemplate,
  saveTemplate,
  type TemplatePane,
} from "../layout/templates.ts";
import { refOf } from "../layout/pane-id.ts";
import { withoutPane, allPanes } from "../layout/workspace.ts";
import type { Stage } from "../view.ts";
import { ListView } from "./list-view.ts";
import { PromptView } from "./prompts.ts";

const SAVE = " save";

export function templatePicker(stage: Stage, workbench: Workbench): ListView {
  const { home } = stage.services.places;
  return new ListView(stage, {
    title: "Templates",
    hint: "enter use  ^n save current layout  ^x remove",
    items: () => [
      ...listTemplates(home).map(({ name, panes }) => ({
        id: name,
        label: name,
        detail: panes.map(({ command }) => command?.[0] ?? "shell").join(", "),
      })),
      { id: SAVE, label: "Save current layout …", words: "save" },
    ],
    act: (action, item, _filter, view) => {
      if (action === "create" || (action === "choose" && item?.id === SAVE)) {
        view.close();
        stage.push(new PromptView(stage, "Save the layout as", "", (name) => save(stage, workbench, name.trim())));
      } else if (action === "choose" && item !== undefined) {
        view.close();
        stage.attempt(use(stage, workbench, item.id));
      } else if (action === "delete" && item !== undefined && item.id !== SAVE) removeTemplate(home, item.id);
    },
  });
}

function save(stage: Stage, workbench: Workbench, name: string): void {
  if (name === "") return;
  stage.attempt(
    Promise.resolve().then(() => {
      saveTemplate(stage.services.places.home, name, workbench.workspace, (id) => paneOf(stage, workbench, id));
      stage.say(`Saved layout as ${name}.`, "good");
    }),
  );
}

function paneOf(stage: Stage, workbench: Workbench, id: string): TemplatePane {
  const ref = refOf(id);
  const meta = stage.board.find(ref?.sessionId ?? "")?.meta;
  const command = meta?.ptys.find((pty) => pty.id === ref?.ptyId)?.command;
  const cwd = workbench.directoryOf(id);
  return command === undefined || command.length === 0 ? { cwd } : { cwd, command };
}

/** Creates new terminals in the open session, in an empty workspace, as the template says. */
async function use(stage: Stage, workbench: Workbench, name: string): Promise<void> {
  const template = readTemplate(stage.services.places.home, name);
  if (template === undefined) return stage.say(`The template ${name} cannot be read.`, "bad");
  const made: string[] = [];
  for (const { cwd, command } of template.panes) made.push(await workbench.create(cwd, command));
  const free = workbench.layout.workspaces.findIndex((workspace) => allPanes(workspace).length === 0);
  const workspace = filled(template, made);
  const missing = allPanes(workspace).filter((id) => !made.includes(id));
  workbench.change(missing.reduce(withoutPane, workspace), free === -1 ? workbench.layout.active : free);
}
