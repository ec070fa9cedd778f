/** A thread that helps a search: a batch at a time, each answered as soon as it is done. */
import { parentPort, workerData } from "node:worker_threads";
import { leaveWhenAsked } from "../../lib/end-thread.ts";
import { ByteFilter } from "./byte-filter.ts";
import type { BatchAnswer, BatchOrder, LookAnswer, ScanOrder } from "./scan-messages.ts";

const order = workerData as ScanOrder;
const filter = new ByteFilter(order.plan);

leaveWhenAsked(parentPort!);
parentPort!.on("message", (batch: BatchOrder) => {
  answer(batch).then(
    (result) => parentPort!.postMessage(result),
    // Ends the thread; whoever waits for the batch does it instead.
    (error: unknown) => {
      throw error;
    },
  );
});

async function answer(batch: BatchOrder): Promise<BatchAnswer> {
  if (batch.kind === "look") return lookAt(batch.sessions);
  // Loaded here: for a rare word a thread never gets to read.
  const { readBatch } = await import("./scan-reader.ts");
  return readBatch(order, batch.agent, batch.sources);
}

function lookAt(sessions: Extract<BatchOrder, { kind: "look" }>["sessions"]): LookAnswer {
  const result: LookAnswer = { kind: "look", candidates: [], undecided: [], withTitles: [] };
  for (const [number, session] of sessions.entries()) {
    const { mayMatch, headers, hasTitles } = filter.look(session);
    if (hasTitles) result.withTitles.push(number);
    if (mayMatch) result.candidates.push(number);
    else if (headers.length > 0) result.undecided.push(number);
  }
  return result;
}
