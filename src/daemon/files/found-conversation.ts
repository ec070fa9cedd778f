/** A conversation in an agent's store, as the daemon needs it. Plain data that crosses processes. */
import type { Workspace } from "../../client/workspace.ts";

export interface FoundConversation {
  agent: string;
  sessionId: string;
  /** Its file or database. */
  path: string;
  title: string;
  cwd?: string;
  /** Time of the first and last message, in milliseconds since the epoch. */
  createdMs: number;
  updatedMs: number;
  /** Absent if the agent cannot resume it. */
  resumeCommand?: string[];
  /** Absent if the agent cannot fork it. */
  forkCommand?: string[];
  /** Its row's id, computed in the history process. */
  rowId?: string;
  /** The repository of its directory; looked for where it cannot hold the daemon up. */
  workspace?: Workspace;
  /** A sub-agent's: not offered. */
  hidden: boolean;
  /** By the user, in the agent. */
  archived?: boolean;
  /** Only the vault has its file. */
  inVault?: true;
  /** Beyond the row limit: not offered until resumed. */
  isOld?: boolean;
}

export interface FilesUpdate {
  agent: string;
  changed: FoundConversation[];
  /** Ids of sessions proven to be gone. */
  removed: string[];
  /** From the first look: nothing of this is recent. */
  first: boolean;
}
