/** Events from Kilo's plug-in. */
import { hookEventsOf } from "../shared/opencode/hook-events.ts";

export const hookEvents = hookEventsOf("kilo");
