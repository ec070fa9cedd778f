/** A conversation in an agent's store, as the daemon needs it. Plain data: it crosses from one process to another. */
export interface FoundConversation {
  agent: string;
  sessionId: string;
  /** The file or database it lies in. */
  path: string;
  title: string;
  cwd?: string;
  /** When it was begun, and when it was last added to; milliseconds since the epoch. */
  createdMs: number;
  updatedMs: number;
  /** Absent: the agent cannot go on with it. */
  resumeCommand?: string[];
  /** Absent: the agent cannot go on with a copy of it. */
  forkCommand?: string[];
  /** What its own row would be called; made where there is time for it. */
  rowId?: string;
  /** Written by a sub-agent, or put away by the user: not something to offer. */
  hidden: boolean;
  /** One of so many that it is not offered until somebody goes on with it. */
  isOld?: boolean;
}

export interface FilesNews {
  agent: string;
  changed: FoundConversation[];
  /** Ids of sessions that are proven to be gone. */
  removed: string[];
  /** The first look: nothing of this has just happened. */
  first: boolean;
}
