/** Tells the main terminal's draft of turns and questions, from the start: a draft may be older than the session's queue. */
import { isUrgent } from "../core/state.ts";
import type { SessionVerdict } from "../protocol/runner-api.ts";
import type { Session } from "./session.ts";

export function followDraft(session: Session): void {
  let before: string | undefined;
  session.hub.subscribe(({ name, data }) => {
    if (name !== "state") return;
    const state = (data as SessionVerdict | null)?.state;
    // Work that goes on after a question, or another word for it, is no new turn.
    const isTurn = state === "working" && before !== "working" && !isUrgent(before ?? "");
    before = state;
    const draft = session.main?.draft;
    if (draft === undefined) return;
    draft.isAsked = isUrgent(state ?? "");
    if (isTurn) draft.begun(Date.now());
  });
}
