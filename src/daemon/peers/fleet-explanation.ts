/** The requests behind a cost of several machines: where each counts, who else holds it, and the dropped copies. */
import type { ExplainedRequest, FleetDropped } from "../../protocol/fleet.ts";
import { claimsOf, fleetCost, keyOf, type Claim, type FleetCostOptions, type MachineAnswer } from "./fleet-cost.ts";

type Dropped = FleetDropped & { machines: string[] };

/** As JSON in chunks: all of it may exceed the maximum string length. */
export function* fleetExplanation(told: readonly MachineAnswer[], options: FleetCostOptions): Generator<string> {
  const claims = claimsOf(told);
  const { machines, dropped } = holdersOf(told, claims);
  yield `{"summary":${JSON.stringify(fleetCost(told, options, claims))},"requests":[`;
  let separator = "";
  for (const claim of [...claims.values()].sort((a, b) => byTime(a.request, b.request))) {
    const machine = told[claim.machine]!.machine;
    yield `${separator}${JSON.stringify({ ...claim.request, machine, machines: machines.get(claim) ?? [machine] })}`;
    separator = ",";
  }
  yield '],"dropped":[';
  separator = "";
  for (const copy of dropped.sort(byTime)) {
    yield `${separator}${JSON.stringify(copy)}`;
    separator = ",";
  }
  yield "]}";
}

/** Machines that hold a request, in the same session or a copy. */
function holdersOf(
  told: readonly MachineAnswer[],
  claims: ReadonlyMap<string, Claim>,
): { machines: Map<Claim, string[]>; dropped: Dropped[] } {
  const machines = new Map<Claim, string[]>();
  const dropped = new Map<string, Dropped>();
  const drop = (copy: FleetDropped, machine: string): void => {
    const key = `${copy.session}\0${keyOf(copy)}`;
    const known = dropped.get(key);
    if (known === undefined) dropped.set(key, { ...copy, machines: [machine] });
    else if (!known.machines.includes(machine)) known.machines.push(machine);
  };
  for (const { machine, answer } of told) {
    for (const request of answer?.requests ?? []) {
      const claim = claims.get(keyOf(request))!;
      if (claim.request.session === request.session) {
        const holders = machines.get(claim);
        if (holders === undefined) machines.set(claim, [machine]);
        else if (!holders.includes(machine)) holders.push(machine);
      } else drop(copyOf(request, claim.request.session), machine);
    }
    for (const copy of answer?.dropped ?? []) drop(copy, machine);
  }
  return { machines, dropped: [...dropped.values()] };
}

function copyOf({ agent, session, key, timestamp, model }: ExplainedRequest, owner: string): FleetDropped {
  return { agent, session, key, timestamp, model, owner };
}

/** Undated ones come last. */
function byTime(a: { timestamp?: string | undefined; session: string }, b: typeof a): number {
  const [at, otherAt] = [a, b].map(({ timestamp }) =>
    timestamp === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(timestamp),
  );
  if (at !== otherAt) return at! - otherAt!;
  return a.session === b.session ? 0 : a.session < b.session ? -1 : 1;
}
