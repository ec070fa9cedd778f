/** `amux sessions search --peers`. */
import { optional } from "../../lib/values/optional.ts";
import type { SessionHit } from "../../history/search/results.ts";
import { usageError, type Invocation } from "../command.ts";
import { hitLines } from "../format/hit-lines.ts";
import { noteMissing, machineNames } from "../format/machines.ts";
import { noteOfHits, typedIn } from "../report-options.ts";
import { fleetApi, fleetFilters, INCOMPLETE, refuseWith } from "./fleet-options.ts";

export async function searchFleet(invocation: Invocation): Promise<number> {
  refuseWith(invocation, ["no-index", "as-found", "all-copies"], ["archive"]);
  const { output } = invocation;
  const limit = invocation.count("limit");
  const api = await fleetApi(invocation);
  const { text, tags } = typedIn(invocation);
  if (text === "") throw usageError("--peers needs search words besides tag:.");
  const found = await api.fleetSearch(text, {
    ...fleetFilters(invocation),
    ...optional("tags", tags?.join(",")),
    ...optional("agent", invocation.text("agent")),
    ...optional("limit", limit),
    ...optional("sort", invocation.text("sort")),
    counts: invocation.flag("counts"),
  });
  output.clearProgress();
  if (output.json) await output.writeJson(found);
  else {
    const shown = found.hits.map((hit) => {
      const read = { ...hit, createdAt: new Date(hit.createdAt), updatedAt: new Date(hit.updatedAt) };
      return hitLines(read as unknown as SessionHit, output, machineNames(hit.machines));
    });
    if (shown.length > 0) await output.page(shown);
    const note = noteOfHits(shown.length, limit);
    if (note !== undefined) output.note(note);
  }
  noteMissing(output, found.machines);
  return found.partial ? INCOMPLETE : 0;
}
