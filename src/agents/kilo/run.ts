/** Kilo without a terminal. */
import { runOf } from "../shared/opencode/run.ts";
import { KILO } from "./product.ts";

export const run = runOf(KILO);
