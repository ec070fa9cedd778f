/** Messages between the daemon and the ledger thread. Each has one answer, in order. */
import type { FleetCostOptions } from "./fleet-cost.ts";

export interface LedgerQuestion extends FleetCostOptions {
  /** The first is this one. */
  machines: readonly string[];
  /** Include the requests. */
  explains: boolean;
}

export type ToLedgerWorker =
  | { type: "piece"; machine: number; piece: string | Uint8Array }
  | { type: "whole"; machine: number }
  | { type: "missing"; machine: number; error: string }
  | { type: "next" };

export type FromLedgerWorker =
  | { type: "taken" }
  | { type: "refused"; message: string }
  | { type: "text"; text: string }
  | { type: "end" };
