/** Kilo's plug-in. */
import { hooksOf } from "../shared/opencode/hooks.ts";
import { KILO } from "./product.ts";

export const hooks = hooksOf(KILO);
