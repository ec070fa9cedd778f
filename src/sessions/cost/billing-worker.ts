/** A thread that bills sessions of one agent. Whatever fails ends it; who waits for it does the work instead. */
import { parentPort, workerData } from "node:worker_threads";
import { ReadNotes } from "../../agents/read-notes.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { takeScannerModules } from "../../lib/scanner-module.ts";
import { SessionCounter } from "../session-counter.ts";
import type { BillAnswer, BillOrder } from "./billing-thread.ts";

const { agent, env, ids, scanners } = workerData as BillOrder;

takeScannerModules(scanners);
void bill();

async function bill(): Promise<void> {
  const adapter = await new AgentRegistry().get(agent);
  const history = adapter.history!;
  const list = history.bytes?.listNames ?? history.listSessions;
  // What the listing met, whoever asked has met as well.
  const sources = new Map(list(env, new ReadNotes()).map((source) => [source.sessionId, source]));
  const notes = new ReadNotes();
  const counter = new SessionCounter({ adapter, env, notes }, ids.length);
  for (const id of ids) {
    const source = sources.get(id);
    if (source === undefined) throw new Error(`${id} is gone.`);
    counter.bill(source, undefined);
  }
  const { rows, sessions, empty } = counter.counted;
  const { data, buffers } = rows.data();
  const answer: BillAnswer = { rows: data, sessions, empty, notes };
  parentPort!.postMessage(answer, buffers);
}
