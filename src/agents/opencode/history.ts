/** OpenCode's sessions. */
import { historyOf } from "../shared/opencode/history.ts";
import { OPENCODE } from "./product.ts";

export const history = historyOf(OPENCODE);
