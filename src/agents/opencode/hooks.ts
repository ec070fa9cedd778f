/** OpenCode's plug-in. */
import { hooksOf } from "../shared/opencode/hooks.ts";
import { OPENCODE } from "./product.ts";

export const hooks = hooksOf(OPENCODE);
