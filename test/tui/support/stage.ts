/** A stage without a terminal: real sessions, a real list, and a grid instead of a screen. */
import { DaemonClient } from "../../../src/client/daemon-client.ts";
import { StatusStore } from "../../../src/status/status-store.ts";
import { SnoozeFile } from "../../../src/status/snooze.ts";
import { SessionBoard } from "../../../src/tui/data/session-board.ts";
import { Keymap } from "../../../src/tui/keymap.ts";
import { ParseBudget } from "../../../src/tui/panes/parse-budget.ts";
import type { TuiServices } from "../../../src/tui/services.ts";
import type { Stage } from "../../../src/tui/view.ts";
import type { TestHome } from "../../runner/support/sessions.ts";

export function stageIn(home: TestHome): Stage {
  const unexpected = (): never => {
    throw new Error("This was not to be asked for.");
  };
  const services: TuiServices = {
    env: { home: home.home, platform: process.platform, vars: {} },
    places: { home: home.home },
    client: home.client,
    daemon: new DaemonClient(home.home),
    history: unexpected,
    statusFiles: new StatusStore(home.home),
    fileSessions: () => Promise.resolve([]),
    snoozes: new SnoozeFile(home.home),
    answer: unexpected,
    message: unexpected,
    revival: unexpected,
    resumption: unexpected,
    fork: unexpected,
    budgetWarnings: () => [],
    conflicts: () => [],
    heldPrompts: () => [],
    limits: () => Promise.resolve([]),
    openInBrowser: () => false,
    agents: () => Promise.resolve([]),
    agentLabel: (agent) => agent,
    launch: unexpected,
    work: unexpected,
  };
  const ignored = (): void => undefined;
  const said: { at: Date; text: string }[] = [];
  return {
    services,
    keymap: new Keymap(),
    board: new SessionBoard(services, ignored, ignored),
    budget: new ParseBudget(),
    said,
    openSessionId: undefined,
    redraw: ignored,
    push: unexpected,
    pop: unexpected,
    say: (text) => void said.push({ at: new Date(), text }),
    attempt: unexpected,
    openSession: unexpected,
    addPane: unexpected,
    showDashboard: unexpected,
    handOver: unexpected,
    help: unexpected,
    copy: unexpected,
    act: unexpected,
    quit: unexpected,
  };
}
