/** The ledger thread, so that merging millions of requests never blocks a terminal. It lives for one query. */
import { StringDecoder } from "node:string_decoder";
import { parentPort, workerData } from "node:worker_threads";
import { asObject } from "../../lib/json/fields.ts";
import { exitOnRequest } from "../../lib/process/end-thread.ts";
import { JsonElements } from "../../lib/json/json-elements.ts";
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

/** A machine's sums are one element; no machine has more sessions than fit. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
const PIECE_CHARACTERS = 64 * 1024;

const NOT_UNDERSTOOD = "Its answer is malformed; its version may differ.";

const { machines, explains, ...options } = workerData as LedgerQuestion;

class Reading {
  readonly requests: ExplainedRequest[] = [];
  readonly dropped: FleetDropped[] = [];
  readonly #decoder = new StringDecoder("utf8");
  readonly #elements = new JsonElements({
    arrays: ["data.requests", "data.dropped"],
    maxCharacters: MAX_CHARACTERS,
    onElement: (array, json) => {
      if (array === "data.requests") this.requests.push(Request.parse(JSON.parse(json)));
      else if (explains) this.dropped.push(FleetDropped.parse(JSON.parse(json)));
    },
  });

  push(piece: string | Uint8Array): void {
    this.#elements.push(typeof piece === "string" ? piece : this.#decoder.write(Buffer.from(piece)));
  }

  end(): MachineLedger {
    const data = asObject(asObject(JSON.parse(this.#elements.end()))?.["data"]);
    return { requests: this.requests, dropped: this.dropped, summary: LedgerSummary.parse(data?.["summary"]) };
  }
}

const Request = explains ? ExplainedRequest : FleetRequest;
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
