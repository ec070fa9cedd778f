/** OpenCode without a terminal. */
import { runOf } from "../shared/opencode/run.ts";
import { OPENCODE } from "./product.ts";

export const run = runOf(OPENCODE);
