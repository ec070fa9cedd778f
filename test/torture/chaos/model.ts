/** What must be true of started sessions, whatever happened to their processes. */
export type Fate = "running" | "ended" | "runner killed" | "dismissed";

export interface ModelSession {
  readonly id: string;
  pid: number;
  runnerPid: number;
  fate: Fate;
  /** Known once it exited or was killed. */
  exitCode?: number;
  /** Output since the start: exactly this must be on the screen and in the record, in order. */
  lines: string[];
  /** The record when the session was resumed: it stays until there is new output. */
  before: readonly string[];
  /** What may follow in part: a kill hit the program or its runner during this output. */
  maybe: readonly string[];
  /** How many of the last lines are not recorded yet: they are lost if the runner is killed. */
  unrecorded: number;
  /** Its runner is stopped until then (by `performance.now()`), during this burst. */
  still?: { until: number; burst: number };
}

/** No session gets more lines: its history is bounded. */
const MAX_LINES = 2000;

export class Model {
  readonly sessions: ModelSession[] = [];
  /** Bytes written and compared, and the number of views. */
  readonly figures = { "bytes written": 0, looks: 0, "bytes compared": 0 };
  #line = 0;

  nextLine(): number {
    return ++this.#line;
  }

  of(fate: Fate): ModelSession[] {
    return this.sessions.filter((session) => session.fate === fate);
  }

  /** Running sessions whose runner is not stopped. */
  awake(): ModelSession[] {
    return this.of("running").filter(({ still }) => still === undefined);
  }

  began(id: string, pid: number, runnerPid: number): void {
    this.sessions.push({ id, pid, runnerPid, fate: "running", lines: [], before: [], maybe: [], unrecorded: 0 });
  }

  resumed(session: ModelSession, pid: number, runnerPid: number): void {
    Object.assign(session, {
      pid,
      runnerPid,
      fate: "running",
      before: session.lines,
      lines: [],
      maybe: [],
      unrecorded: 0,
    });
    delete session.exitCode;
  }

  wrote(session: ModelSession, lines: readonly string[]): void {
    session.lines.push(...lines);
    this.figures["bytes written"] += lines.join("\r\n").length;
  }

  hasRoom(session: ModelSession): boolean {
    return session.lines.length < MAX_LINES;
  }

  /** As below, for a record. */
  problemWithRecord(session: ModelSession, found: readonly string[]): string | undefined {
    const isOfBefore = session.lines.length === 0 && found.length > 0 && found.join() === session.before.join();
    return isOfBefore ? undefined : this.problemWith(session, found);
  }

  /** What is wrong with these lines of the session; undefined when nothing is. */
  problemWith(session: ModelSession, found: readonly string[]): string | undefined {
    const { lines, maybe } = session;
    this.figures.looks++;
    this.figures["bytes compared"] += found.join("\r\n").length;
    const expected = [...lines, ...maybe];
    const wrong = found.findIndex((line, at) => line !== expected[at]);
    if (wrong !== -1) return `line ${wrong} is ${found[wrong]}, not ${expected[wrong] ?? "the end"}`;
    if (found.length < lines.length)
      return `it ends before ${lines[found.length]}, ${lines.length - found.length} short`;
    return undefined;
  }
}
