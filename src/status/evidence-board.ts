/**
 * The evidence of one session in its runner: reports in, derived state out. A state can change without a report, so it also says
 * when to check again.
 */
import type { Source } from "../core/state.ts";
import { optional } from "../lib/values/optional.ts";
import { startTimeOf } from "../lib/process/processes.ts";
import type { SessionVerdict } from "../protocol/runner-api.ts";
import type { StatusReport } from "../protocol/status.ts";
import { NO_EVIDENCE, observe, release, withdraw, type Evidence, type Observation, type World } from "./evidence.ts";
import { observationOf } from "./observation.ts";
import { judge, type Verdict } from "./verdict.ts";

const WORLD: World = { isAlive: (pid) => startTimeOf(pid) !== undefined };

export class EvidenceBoard {
  evidence: Evidence = NO_EVIDENCE;
  private readonly now: () => number;
  private readonly world: World;

  constructor(now: () => number = Date.now, world: World = WORLD) {
    this.now = now;
    this.world = world;
  }

  set(report: StatusReport): void {
    this.evidence = observe(this.evidence, observationOf(report, this.now()), this.world);
  }

  /** A hook's question no longer waits. */
  release(ask: string | undefined): void {
    this.evidence = release(this.evidence, ask, this.now());
  }

  /** The source withdraws its report. */
  clear(source: Source): void {
    this.evidence = withdraw(this.evidence, source);
  }

  clearAll(): void {
    this.evidence = NO_EVIDENCE;
  }

  /** Undefined without any report. */
  get verdict(): Verdict | undefined {
    return judge(this.evidence, this.now());
  }

  /** The deciding report. */
  get current(): StatusReport | undefined {
    const { verdict } = this;
    return verdict === undefined ? undefined : reportFrom(verdict.by);
  }

  /** Time until the state may change by itself; undefined if it will not. */
  get settlesInMs(): number | undefined {
    const at = this.verdict?.settlesAt;
    return at === undefined ? undefined : Math.max(0, at - this.now());
  }

  /** Every open question and each source's latest report, most trusted first; enough to derive the state elsewhere. */
  all(): StatusReport[] {
    const { said, asks } = this.evidence;
    return [...asks, ...Object.values(said)].map(reportFrom);
  }
}

/** A derived state in wire format. */
export function verdictOnWire({ state, label, message, since, by }: Verdict): SessionVerdict {
  const { source, at, event, ask, scope, held, options, several } = by;
  return {
    state,
    ...optional("label", label),
    ...optional("message", message),
    since: new Date(since).toISOString(),
    source,
    at: new Date(at).toISOString(),
    ...optional("event", event),
    ...optional("ask", ask),
    ...optional("scope", scope),
    // A question read from the screen stays open, but no hook waits for it.
    ...optional("held", source === "hook" ? held : undefined),
    ...optional("options", options && [...options]),
    ...optional("several", several),
  };
}

function reportFrom(observation: Observation): StatusReport {
  const { at, could_be, ...rest } = observation;
  const { since: _, doubtedAt: __, ...report } = rest as typeof rest & { since?: number; doubtedAt?: number };
  const { options, ...plain } = report;
  return {
    ...plain,
    at: new Date(at).toISOString(),
    ...(could_be === undefined ? {} : { could_be: [...could_be] }),
    ...(options === undefined ? {} : { options: [...options] }),
  };
}
