/** What the interface needs from the program around it: it knows no agent and no command line itself. */
import type { DaemonClient } from "../client/daemon-client.ts";
import type { KnownSession } from "../client/session-list.ts";
import type { ShimClient, SpawnRequest } from "../client/shim-client.ts";
import type { PathEnv } from "../lib/fs/paths.ts";
import type { SessionPlaces } from "../protocol/session-files.ts";
import type { SessionManager } from "../history/manager.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import type { SessionView } from "../status/session-view.ts";
import type { SnoozeFile } from "../status/snooze.ts";
import type { StatusStore } from "../status/status-store.ts";

export interface StartableAgent {
  name: string;
  displayName: string;
  command: string;
}

export interface TuiServices {
  env: PathEnv;
  places: SessionPlaces;
  client: ShimClient;
  /** Asked for other machines' sessions, when it runs. */
  daemon: DaemonClient;
  /** Loaded when it is first needed: most looks at the dashboard end before. */
  history(): Promise<SessionManager>;
  statusFiles: StatusStore;
  /** Sessions of other multiplexers, by their status files. */
  fileSessions(now: number): Promise<SessionView[]>;
  /** What the user wants to hear of later. */
  snoozes: SnoozeFile;
  /** Decides about a permission (`allow`, `deny`), or tells the agent something. */
  answer(session: SessionView, answer: string, asked?: string): Promise<Receipt>;
  /** How a dead session comes back. */
  revival(session: KnownSession): Promise<SpawnRequest>;
  /** How a past conversation goes on, in a session of its own. */
  resumption(agent: string, sessionId: string): Promise<SpawnRequest>;
  /** A copy of a conversation that goes on; with a message number it ends there. */
  fork(agent: string, sessionId: string, message?: number): Promise<SpawnRequest>;
  /** False when there is nothing to show it with. */
  openInBrowser(address: string): boolean;
  agents(): Promise<StartableAgent[]>;
  /** What it takes to start an agent, with its hooks for this start. */
  launch(command: readonly string[], cwd: string): Promise<SpawnRequest>;
}
