import { titleFrom } from "../lib/text/text.ts";

type Text = string | undefined;

/**
 * One rule for all agents: the name that the user or the agent gave the session, otherwise the first prompt of its conversation.
 * The conversation of a fork begins with its parent's, so an unnamed fork has the title of its unnamed parent.
 */
export function sessionTitle(given: Text, firstPrompt: Text | (() => Text)): string {
  return titleFrom(given || (typeof firstPrompt === "function" ? firstPrompt() : firstPrompt));
}
