/** How a session is opened again: by its key, in the install it belongs to. */
import type { Launch, SessionSource } from "../adapter.ts";
import { locatorOf } from "./locator.ts";

export const launch = {
  // Looks for the words in session keys, labels and display names; a session id is in none of them unless it was chosen.
  resume(_sessionId: string, source: SessionSource): string[] | undefined {
    const { key, profile } = locatorOf(source).about;
    if (key === undefined) return undefined;
    return ["openclaw", ...(profile === undefined ? [] : ["--profile", profile]), "resume", key];
  },
  whyNoForkAt: "Its forks are made by its gateway, inside its database; no command line makes one.",
} satisfies Launch;
