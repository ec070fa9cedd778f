/** A thread that reads sessions for a search: a batch at a time, each answered as soon as it is done. */
import { parentPort, workerData } from "node:worker_threads";
import { AgentRegistry } from "../../agents/registry.ts";
import { Catalog } from "../catalog.ts";
import { Filter } from "./filter.ts";
import { Matcher } from "./matcher.ts";
import type { BatchAnswer, BatchOrder, ScanOrder } from "./scan-messages.ts";
import { SessionScan } from "./session-scan.ts";

const { plan, env, filter } = workerData as ScanOrder;
const registry = new AgentRegistry();
const scan = new SessionScan(plan, new Matcher(plan), new Filter(filter), { isPartial: true });

parentPort!.on("message", ({ agent, sources }: BatchOrder) => {
  answer(agent, sources).then(
    (result) => parentPort!.postMessage(result),
    // Ends the thread; whoever waits for the batch does it instead.
    (error: unknown) => {
      throw error;
    },
  );
});

async function answer(agent: string, sources: BatchOrder["sources"]): Promise<BatchAnswer> {
  const adapter = await registry.get(agent);
  // These sessions are all there are, as far as this thread is concerned.
  const history = { ...adapter.history!, listSessions: () => [...sources] };
  const catalog = new Catalog({ ...adapter, history }, env);
  const result: BatchAnswer = { found: [], undecided: [], skipped: [], hasForeignTitles: false };
  for (const [number, source] of sources.entries()) {
    const outcome = scan.look({ catalog, source });
    if (outcome === "undecided") result.undecided.push(number);
    else if (outcome?.found?.findings) {
      const { findings, score } = outcome.found;
      result.found.push({ number, head: outcome.head, findings, score });
    }
  }
  result.skipped.push(...catalog.notes.skipped);
  result.hasForeignTitles = scan.withForeignTitles.has(agent);
  return result;
}
