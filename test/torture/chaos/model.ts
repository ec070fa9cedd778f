/** What must be true of the sessions that were started, whatever happened to the processes around them. */
export type Fate = "running" | "ended" | "runner killed" | "dismissed";

export interface ModelSession {
  readonly id: string;
  pid: number;
  runnerPid: number;
  fate: Fate;
  /** Known once it ended by itself or by a signal. */
  exitCode?: number;
  /** What the program wrote since it was started: exactly this, in this order, is on the screen and in the record. */
  lines: string[];
  /** What the record had when the session was resumed: it stays until there is something new. */
  before: readonly string[];
  /** What may follow, as far as it came: a kill hit the program or its runner while this was being written. */
  maybe: readonly string[];
  /** How many of the last lines found no room in the record yet: they are on the screen, and go with a runner that is killed. */
  unrecorded: number;
  /** Its runner is stopped until then (by `performance.now()`), in the middle of this burst. */
  still?: { until: number; burst: number };
}

/** A session is not given more: its history is bounded, and what has scrolled out of it is no loss. */
const MAX_LINES = 2000;

export class Model {
  readonly sessions: ModelSession[] = [];
  /** Bytes that programs wrote and that were looked for, and how often somebody looked at a session. */
  readonly figures = { "bytes written": 0, looks: 0, "bytes compared": 0 };
  #line = 0;

  nextLine(): number {
    return ++this.#line;
  }

  of(fate: Fate): ModelSession[] {
    return this.sessions.filter((session) => session.fate === fate);
  }

  /** Those that run and whose runners are not stopped. */
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

  /** As below, of a record. */
  problemWithRecord(session: ModelSession, found: readonly string[]): string | undefined {
    const isOfBefore = session.lines.length === 0 && found.length > 0 && found.join() === session.before.join();
    return isOfBefore ? undefined : this.problemWith(session, found);
  }

  /** What is wrong with these lines as those of the session; undefined when nothing is. */
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
