/** Chooses the machine whose cost is shown: this one, a peer, or all of them with each request counted once. */
import type { JSX } from "preact";
import type { FleetCostSummary, HistoryFilters, Wire } from "../../client/daemon-api.ts";
import type { CostRequest, CostSummary, DroppedRequest } from "../../core/cost.ts";
import { api } from "../state/api.ts";
import { inLocalZone } from "../state/local-zone.ts";
import { peers } from "../state/projection.ts";

export const HERE = "";
/** Not a valid machine name. */
export const EVERYWHERE = "*";

export function costOn(
  machine: string,
  filters: HistoryFilters & { group_by: string },
  signal: AbortSignal,
): Promise<CostSummary> {
  return inLocalZone<CostSummary>((time_zone) => {
    const query = { ...filters, ...(time_zone === undefined ? {} : { time_zone }) };
    if (machine === EVERYWHERE) return api.fleetCost(query, signal);
    return api.cost({ ...query, peer: machine === HERE ? undefined : machine }, signal);
  });
}

/** Billed and excluded requests with their machine; undefined for this one. */
export interface Explained {
  requests: (Wire<CostRequest> & { peer: string | undefined })[];
  dropped: (Wire<DroppedRequest> & { peer: string | undefined })[];
}

export async function explainOn(
  machine: string,
  query: HistoryFilters & { session?: string },
  signal: AbortSignal,
): Promise<Explained> {
  if (machine === EVERYWHERE) {
    const { requests, dropped } = await api.fleetCostExplained(query, signal);
    return {
      requests: requests.map((request) => ({ ...request, peer: request.machine || undefined })),
      dropped: dropped.map((one) => ({ ...one, peer: one.machines[0] || undefined })),
    };
  }
  const peer = machine === HERE ? undefined : machine;
  const { requests, dropped } = await api.explainCost({ ...query, peer }, signal);
  return {
    requests: requests.map((request) => ({ ...request, peer })),
    dropped: dropped.map((one) => ({ ...one, peer })),
  };
}

interface MachineChoiceProps {
  value: string;
  onChange(machine: string): void;
}

/** Hidden without peers. */
export function MachineChoice({ value, onChange }: MachineChoiceProps): JSX.Element | null {
  if (peers.value.length === 0) return null;
  return (
    <select
      class="field small machine-choice"
      aria-label="Machine"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value={HERE}>this machine</option>
      {peers.value.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
      <option value={EVERYWHERE}>all machines</option>
    </select>
  );
}

/** Machines that are missing from a total over all machines. */
export function Missing({ summary }: { summary: CostSummary | FleetCostSummary }): JSX.Element | null {
  if (!("machines" in summary)) return null;
  const missing = summary.machines.filter(({ error }) => error !== undefined);
  if (missing.length === 0) return null;
  return (
    <p class="bad" role="alert">
      Without {missing.map(({ machine, error }) => `${machine} (${error})`).join(", ")}
    </p>
  );
}
