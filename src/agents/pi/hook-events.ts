import { extensionEvents } from "../shared/extension-events.ts";

export const hookEvents = extensionEvents("pi", true);
