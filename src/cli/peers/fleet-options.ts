/** `--peers`: queries all linked machines. */
import { DaemonApi, type HistoryFilters } from "../../client/daemon-api.ts";
import { optional } from "../../lib/values/optional.ts";
import { usageError, type Invocation } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { commonFilters } from "../filters.ts";

/** Some machine did not answer. */
export const INCOMPLETE = 16;

/** The daemon has the connections to the others. */
export async function fleetApi(invocation: Invocation): Promise<DaemonApi> {
  await ensureDaemon();
  invocation.output.progress("asking all machines");
  return new DaemonApi(daemonClient());
}

export function fleetFilters(invocation: Invocation): HistoryFilters {
  const { since, until, model, tags } = commonFilters(invocation);
  return {
    ...optional("since", since?.toISOString()),
    ...optional("until", until?.toISOString()),
    ...optional("model", model),
    ...optional("tags", tags?.join(",")),
  };
}

/** Options that work for one machine only. */
export function refuseWith(invocation: Invocation, flags: readonly string[], texts: readonly string[]): void {
  const given =
    flags.find((name) => invocation.flag(name)) ?? texts.find((name) => invocation.text(name) !== undefined);
  if (given !== undefined) throw usageError(`--peers and --${given} exclude each other.`);
}
