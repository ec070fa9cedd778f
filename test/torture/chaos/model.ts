/** What must be true of the sessions that were started, whatever happened to the processes around them. */
export type Fate = "running" | "ended" | "runner killed" | "dismissed";

export interface ModelSession {
  readonly id: string;
  pid: number;
  runnerPid: number;
  fate: Fate;
  /** Known once it ended by itself or by a signal. */
  exitCode?: number;
  /** Numbers of lines that the program was seen to answer: none of them may be lost any more. */
  answered: number[];
  /** Those of them that found no room in the record yet: they are on the screen, and go with a runner that is killed. */
  unrecorded: number[];
}

export class Model {
  readonly sessions: ModelSession[] = [];
  #line = 0;

  nextLine(): number {
    return ++this.#line;
  }

  of(fate: Fate): ModelSession[] {
    return this.sessions.filter((session) => session.fate === fate);
  }
}
