/** Named actions for keys and the palette. Those of panes are in `workbench/workbench-actions.ts`. */
import type { Workbench } from "./workbench/workbench.ts";
import { WORKBENCH_ACTIONS } from "./workbench/workbench-actions.ts";
import type { Stage } from "./view.ts";
import { AggregateView } from "./views/aggregate-view.ts";
import { AttentionView } from "./views/attention-view.ts";
import { costsView } from "./views/costs-view.ts";
import { consoleView } from "./views/help.ts";
import { historySearch } from "./views/history-search.ts";
import { newSession } from "./views/new-session.ts";
import { palette } from "./views/palette.ts";
import { ProjectsView } from "./views/projects-view.ts";
import { queueView, scheduleView } from "./views/queue-view.ts";
import { sessionPicker } from "./views/session-picker.ts";
import { templatePicker } from "./views/template-picker.ts";

export interface Action {
  title: string;
  run(stage: Stage): void;
}

export const ACTIONS: Readonly<Record<string, Action>> = {
  dashboard: { title: "All sessions", run: (stage) => stage.showDashboard() },
  sessions: { title: "Choose a session", run: (stage) => stage.push(sessionPicker(stage)) },
  "new-session": { title: "Start a session", run: (stage) => stage.attempt(newSession(stage)) },
  aggregate: { title: "All terminals with a preview", run: (stage) => stage.push(new AggregateView(stage)) },
  attention: { title: "Sessions that need you", run: (stage) => stage.push(new AttentionView(stage)) },
  "search-history": { title: "Search all sessions", run: (stage) => stage.push(historySearch(stage)) },
  costs: { title: "Cost of all sessions", run: (stage) => stage.push(costsView(stage)) },
  queue: {
    title: "Queue of prompts of this session",
    run: (stage) => {
      const { openSessionId: id } = stage;
      if (id === undefined) return stage.say("Open a session first.");
      stage.push(queueView(stage, id, stage.board.titleOf(id) ?? id));
    },
  },
  scheduled: { title: "Scheduled prompts", run: (stage) => stage.push(scheduleView(stage)) },
  projects: { title: "Projects", run: (stage) => stage.push(new ProjectsView(stage)) },
  palette: { title: "Command palette", run: (stage) => stage.push(palette(stage, titles())) },
  console: { title: "Messages", run: (stage) => stage.push(consoleView(stage)) },
  help: {
    title: "Keys",
    run: (stage) =>
      stage.help(stage.openSessionId === undefined ? ["dashboard", "preview"] : ["prefix", "direct", "copy"]),
  },
  detach: { title: "Detach: leave everything running", run: (stage) => stage.quit() },
  quit: { title: "Quit", run: (stage) => stage.quit() },
};

/** Needs panes on the screen. */
export const PANE_ACTIONS: Readonly<Record<string, { title: string; run(stage: Stage, workbench: Workbench): void }>> =
  {
    templates: {
      title: "Templates: save or use a layout",
      run: (stage, workbench) => stage.push(templatePicker(stage, workbench)),
    },
    ...Object.fromEntries(
      Object.entries(WORKBENCH_ACTIONS).map(([name, { title, run }]) => [
        name,
        { title, run: (stage: Stage, workbench: Workbench) => run(workbench, stage) },
      ]),
    ),
  };

const OTHERS: Readonly<Record<string, string>> = { paste: "Paste", redraw: "Redraw the screen" };

/** What each action is called. */
export function titles(): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(ACTIONS).map(([name, { title }]) => [name, title] as const),
    ...Object.entries(PANE_ACTIONS).map(([name, { title }]) => [name, title] as const),
    ...Object.entries(OTHERS),
  ]);
}
