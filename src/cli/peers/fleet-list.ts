/** `amux sessions list --peers`. */
import { optional } from "../../lib/values/optional.ts";
import type { SessionSummary } from "../../core/session.ts";
import { DEFAULT_LIMIT } from "../../history/list.ts";
import type { Invocation } from "../command.ts";
import { agentOf } from "../filters.ts";
import { noteMissing, machineNames } from "../format/machines.ts";
import { firstRows, withOneMore } from "../format/first-rows.ts";
import { columnsOf, reversed, sessionTable } from "../format/session-table.ts";
import { fleetApi, fleetFilters, INCOMPLETE, refuseWith } from "./fleet-options.ts";

export async function listFleet(invocation: Invocation): Promise<number> {
  refuseWith(invocation, ["no-index"], ["archive", "file", "failed"]);
  const { output } = invocation;
  const agent = agentOf(invocation);
  const limit = invocation.count("limit");
  const counts = invocation.flag("counts") ? true : invocation.flag("no-counts") ? false : undefined;
  const api = await fleetApi(invocation);
  const found = await api.fleetHistory({
    ...fleetFilters(invocation),
    model: undefined,
    model_part: invocation.text("model"),
    ...optional("agent", agent),
    // A path on an unknown machine: passed unchanged.
    ...optional("under", invocation.text("cwd")),
    ...optional("branch", invocation.text("branch")),
    ...optional("title", invocation.text("title")),
    ...(invocation.flag("starred") ? { starred: true } : {}),
    ...(output.json ? optional("limit", limit) : { limit: withOneMore(limit ?? DEFAULT_LIMIT) }),
    ...optional("sort", invocation.text("sort")),
    ...optional("direction", reversed(invocation)),
    ...optional("counts", counts),
  });
  output.clearProgress();
  if (output.json) await output.writeJson(found);
  else if (found.sessions.length === 0) output.note("No sessions found on any machine.");
  else {
    const { rows: shown, note } = firstRows(found.sessions, limit ?? DEFAULT_LIMIT);
    const rows = shown.map((row) => ({
      ...row,
      createdAt: new Date(row.createdAt),
      updatedAt: new Date(row.updatedAt),
    }));
    const where = (row: SessionSummary): string => machineNames((row as (typeof rows)[number]).machines);
    const lines = sessionTable(rows, output, { columns: columnsOf(invocation, agent), where });
    await output.page(lines.map((line) => `${line}\n`));
    if (note !== undefined) output.note(note);
  }
  noteMissing(output, found.machines);
  return found.partial ? INCOMPLETE : 0;
}
