/** Kilo's sessions. */
import { historyOf } from "../shared/opencode/history.ts";
import { KILO } from "./product.ts";

export const history = historyOf(KILO);
