/** The ledger thread, so that merging millions of requests never blocks a terminal. It lives for one query. */
import { parentPort, workerData } from "node:worker_threads";
import { asArray, asObject } from "../../lib/json/fields.ts";
import { exitOnRequest } from "../../lib/process/end-thread.ts";
import {
  ExplainedRequest,
  FleetDropped,
  FleetRequest,
  LedgerSummary,
  type MachineLedger,
} from "../../protocol/fleet.ts";
import { fleetCost, type MachineAnswer } from "./fleet-cost.ts";
import { fleetExplanation } from "./fleet-explanation.ts";
import type { FromLedgerWorker, LedgerQuestion, ToLedgerWorker } from "./ledger-messages.ts";

const PIECE_CHARACTERS = 64 * 1024;

const NOT_UNDERSTOOD = "Its answer is malformed; its version may differ.";

const { machines, explains, ...options } = workerData as LedgerQuestion;

const Request = explains ? ExplainedRequest : FleetRequest;

class Reading {
  readonly #pieces: Uint8Array[] = [];

  push(piece: string | Uint8Array): void {
    this.#pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  }

  end(): MachineLedger {
    const data = asObject(asObject(JSON.parse(Buffer.concat(this.#pieces).toString("utf8")))?.["data"]);
    return {
      requests: (asArray(data?.["requests"]) ?? []).map((request) => Request.parse(request)),
      dropped: explains ? (asArray(data?.["dropped"]) ?? []).map((request) => FleetDropped.parse(request)) : [],
      summary: LedgerSummary.parse(data?.["summary"]),
    };
  }
}

const told: MachineAnswer[] = machines.map((machine) => ({ machine }));
const readings = machines.map(() => new Reading());
let answer: Iterator<string> | undefined;

if (parentPort !== null) exitOnRequest(parentPort);
parentPort?.on("message", (message: ToLedgerWorker) => parentPort?.postMessage(reply(message)));

function reply(message: ToLedgerWorker): FromLedgerWorker {
  if (message.type === "next") return next();
  const { machine } = message;
  if (message.type === "missing") told[machine]!.error = message.error;
  else {
    try {
      if (message.type === "piece") readings[machine]!.push(message.piece);
      else told[machine]!.answer = readings[machine]!.end();
    } catch {
      return { type: "refused", message: NOT_UNDERSTOOD };
    }
  }
  // A partial ledger does not count.
  if (message.type !== "piece") readings[machine] = new Reading();
  return { type: "taken" };
}

function next(): FromLedgerWorker {
  answer ??= (explains ? fleetExplanation(told, options) : [JSON.stringify(fleetCost(told, options))])[
    Symbol.iterator
  ]();
  let text = "";
  while (text.length < PIECE_CHARACTERS) {
    const { value, done } = answer.next();
    if (done === true) break;
    text += value;
  }
  return text === "" ? { type: "end" } : { type: "text", text };
}
