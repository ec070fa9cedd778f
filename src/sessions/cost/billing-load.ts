/** Where a thread that bills sessions begins. Loads the rest as it was compiled before. */
import { join } from "node:path";
import { workerData } from "node:worker_threads";
import { requireCompiled } from "../../lib/compiled-bundle.ts";
import { beShort } from "../../lib/short-run.ts";
import type { BillOrder } from "./billing-thread.ts";

/** Beside this file; its name changes with its contents. */
declare const BILLING_BUNDLE: string;

const { started } = workerData as BillOrder;
if (started) {
  beShort({ collectsLate: true });
  Atomics.store(started, 0, 1);
  Atomics.notify(started, 0);
}
requireCompiled(join(import.meta.dirname, BILLING_BUNDLE));
