/** What led to an edit: the prompt, the model, what the turn cost. */
import type { SessionMessage, SessionSummary } from "../../core/session.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";

export interface EditContext {
  prompt?: string;
  model?: string;
  turnUsd?: number;
}

/** What blame needs of an open session. */
export interface BlameView {
  summary: Pick<SessionSummary, "model" | "cost" | "title">;
  messages(): Iterable<SessionMessage>;
}

const MAX_PROMPT = 300;

/** By index of the message with the edit. A turn is what follows a user's message up to the next one. */
export function contextsOf(view: BlameView, wanted: ReadonlySet<number>): Map<number, EditContext> {
  const found = new Map<number, EditContext>();
  let prompt: string | undefined;
  let turn: EditContext[] = [];
  let turnUsd: number | undefined;
  const endTurn = (): void => {
    if (turnUsd !== undefined) for (const context of turn) context.turnUsd = turnUsd;
    [turn, turnUsd] = [[], undefined];
  };
  let index = 0;
  for (const { role, content, model, cost } of view.messages()) {
    if (role === "user") {
      endTurn();
      prompt = oneLine(content.slice(0, MAX_PROMPT));
    }
    if (cost !== undefined && cost.kind !== "unknown") turnUsd = (turnUsd ?? 0) + cost.totalUsd;
    if (wanted.has(index)) {
      const context = { ...optional("prompt", prompt), ...optional("model", model ?? view.summary.model) };
      found.set(index, context);
      turn.push(context);
    }
    index++;
  }
  endTurn();
  return found;
}
