/** Events from OpenCode's plug-in. */
import { hookEventsOf } from "../shared/opencode/hook-events.ts";

export const hookEvents = hookEventsOf("opencode");
