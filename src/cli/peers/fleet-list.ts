/** `amux sessions list --peers`. */
import { optional } from "../../lib/optional.ts";
import type { SessionSummary } from "../../core/session.ts";
import type { Invocation } from "../command.ts";
import { noteMissing, placesText } from "../format/machines.ts";
import { sessionTable } from "../format/session-table.ts";
import { fleetApi, fleetFilters, INCOMPLETE, refuseWith } from "./fleet-options.ts";

const DEFAULT_LIMIT = 100;

export async function listFleet(invocation: Invocation): Promise<number> {
  refuseWith(invocation, ["no-index"], ["archive"]);
  const { output } = invocation;
  const [agent] = invocation.arguments;
  const limit = invocation.count("limit");
  const counts = invocation.flag("counts") ? true : invocation.flag("no-counts") ? false : undefined;
  const api = await fleetApi(invocation);
  const found = await api.fleetHistory({
    ...fleetFilters(invocation),
    ...optional("agent", agent),
    // A path of whichever machine it is on: it is taken as it is.
    ...optional("cwd", invocation.text("cwd")),
    ...optional("limit", limit),
    ...optional("sort", invocation.text("sort")),
    ...(invocation.flag("reverse") ? { direction: "asc" } : {}),
    ...optional("counts", counts),
  });
  output.clearProgress();
  if (output.json) await output.writeJson(found);
  else if (found.sessions.length === 0) output.note("No sessions found on any machine.");
  else {
    const rows = found.sessions.map((row) => ({
      ...row,
      createdAt: new Date(row.createdAt),
      updatedAt: new Date(row.updatedAt),
    }));
    const where = (row: SessionSummary): string => placesText((row as (typeof rows)[number]).machines);
    const lines = sessionTable(rows, output, { showAgent: agent === undefined, where });
    await output.page(lines.map((line) => `${line}\n`));
    if (rows.length === (limit ?? DEFAULT_LIMIT)) output.note(`The first ${rows.length}; --limit shows more.`);
  }
  noteMissing(output, found.machines);
  return found.partial ? INCOMPLETE : 0;
}
