/** The evidence of one session in the process that holds it: reports in, the one that counts out. */
import type { Source, StatusReport } from "../protocol/status.ts";
import { startTimeOf } from "../lib/processes.ts";
import { NO_EVIDENCE, observe, withdraw, type Evidence, type Observation } from "./evidence.ts";
import { judge } from "./verdict.ts";

const WORLD = { isAlive: (pid: number): boolean => startTimeOf(pid) !== undefined };

export class EvidenceBoard {
  private evidence: Evidence = NO_EVIDENCE;

  set(report: StatusReport): void {
    this.evidence = observe(this.evidence, observationOf(report, Date.now()), WORLD);
  }

  /** The source takes back what it said. */
  clear(source: Source): void {
    this.evidence = withdraw(this.evidence, source);
  }

  clearAll(): void {
    this.evidence = NO_EVIDENCE;
  }

  get current(): StatusReport | undefined {
    const verdict = judge(this.evidence, Date.now());
    return verdict === undefined ? undefined : reportFrom(verdict.by);
  }

  /** How long until `current` may change although nobody says anything; undefined when it will not. */
  get settlesInMs(): number | undefined {
    const at = judge(this.evidence, Date.now())?.settlesAt;
    return at === undefined ? undefined : Math.max(0, at - Date.now());
  }

  /** The latest of every source and every open question, most trusted first; enough to judge anew elsewhere. */
  all(): StatusReport[] {
    const { said, asks } = this.evidence;
    return [...asks, ...Object.values(said)].map(reportFrom);
  }
}

/** A report without a time was made now. */
export function observationOf(report: StatusReport, now: number): Observation {
  const { at: time, ...rest } = report;
  const at = Date.parse(time ?? "");
  return { ...(rest as Omit<Observation, "at">), at: Number.isNaN(at) ? now : at };
}

function reportFrom(observation: Observation): StatusReport {
  const { at, could_be, ...rest } = observation;
  const { since: _, doubtedAt: __, ...report } = rest as typeof rest & { since?: number; doubtedAt?: number };
  return { ...report, at: new Date(at).toISOString(), ...(could_be === undefined ? {} : { could_be: [...could_be] }) };
}
