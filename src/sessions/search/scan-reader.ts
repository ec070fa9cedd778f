/** The reading part of a search's thread. */
import type { SessionSource } from "../../agents/adapter.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { Catalog } from "../catalog.ts";
import { Filter } from "./filter.ts";
import { Matcher } from "./matcher.ts";
import type { ReadAnswer, ScanOrder } from "./scan-messages.ts";
import { SessionScan } from "./session-scan.ts";

const registry = new AgentRegistry();
let scan: SessionScan | undefined;

export async function readBatch(
  { plan, filter, env }: ScanOrder,
  agent: string,
  sources: readonly SessionSource[],
): Promise<ReadAnswer> {
  scan ??= new SessionScan(plan, new Matcher(plan), new Filter(filter));
  const adapter = await registry.get(agent);
  // These sessions are all there are, as far as this thread is concerned.
  const catalog = new Catalog({ ...adapter, history: { ...adapter.history!, listSessions: () => [...sources] } }, env);
  const result: ReadAnswer = { kind: "read", found: [], skipped: [] };
  for (const [number, source] of sources.entries()) {
    const looked = scan.read({ catalog, source });
    if (looked?.found?.findings === undefined) continue;
    const { findings, score } = looked.found;
    result.found.push({ number, head: looked.head, findings, score });
  }
  result.skipped.push(...catalog.notes.skipped);
  return result;
}
