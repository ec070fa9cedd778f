/** Sends the collected comments as one message, to this session, another one, or a new one. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReviewSend, ReviewSent } from "../../protocol/review.ts";
import { isOf } from "../transcript/transcript.ts";
import { agents } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { sessions } from "../state/projection.ts";
import { awaitSession } from "../state/selection.ts";
import { plural } from "../ui/figures.ts";
import { attempt, tell } from "../ui/notices.ts";
import type { Changes } from "./changes.ts";

const RECEIPTS: Record<ReviewSent["receipt"], string> = {
  delivered: "The agent has the comments.",
  queued: "Queued: the agent reads the comments when its turn ends.",
  not_taken: "The agent did not accept the comments. Open the terminal to check, then send them again.",
  started: "A new session starts with the comments.",
};

interface Choice {
  value: string;
  label: string;
}

export function SendBar({ changes }: { changes: Changes }): JSX.Element | null {
  const chosen = useSignal("");
  const isBusy = useSignal(false);
  const due = changes.comments.value.filter(({ state }) => state === "draft").length;
  const unclear = changes.unclear.value.map(({ id }) => id);
  if (due + unclear.length === 0) return null;
  const choices = choicesOf(changes);
  const to = choices.some(({ value }) => value === chosen.value) ? chosen.value : (choices[0]?.value ?? "");
  const send = async (which: ReviewSend): Promise<void> => {
    isBusy.value = true;
    const whom = to.startsWith("new ") ? { new: to.slice("new ".length) } : { to };
    const sent = await attempt(() => api.sendReview(changes.target, { ...whom, ...which }));
    if (sent !== undefined) {
      tell(RECEIPTS[sent.receipt], { tone: sent.receipt === "not_taken" ? "bad" : "calm" });
      if (sent.receipt === "started") awaitSession(sent.session);
    }
    await changes.reload();
    isBusy.value = false;
  };
  return (
    <form
      class="send-bar"
      onSubmit={(event) => {
        event.preventDefault();
        void send({});
      }}
    >
      <strong>
        {[
          ...(due === 0 ? [] : [`${plural(due, "comment")} not sent`]),
          ...(unclear.length === 0 ? [] : [`${plural(unclear.length, "comment")} may not have arrived`]),
        ].join(", ")}
      </strong>
      <label>
        Send to{" "}
        <select class="field small" value={to} onChange={(event) => (chosen.value = event.currentTarget.value)}>
          {choices.length === 0 ? <option value="">no agent to send to</option> : null}
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {due === 0 ? null : (
        <button type="submit" class="primary small" disabled={isBusy.value || to === ""}>
          {isBusy.value ? "Sending …" : "Send"}
        </button>
      )}
      {unclear.length === 0 ? null : (
        <button
          type="button"
          class="small"
          disabled={isBusy.value || to === ""}
          title="Look at the session first: it may have them"
          onClick={() => void send({ again: true, comments: unclear })}
        >
          Send again
        </button>
      )}
    </form>
  );
}

/** Agents on the session's machine: the session itself first, then others, then new ones. */
function choicesOf({ target }: Changes): Choice[] {
  const own = "id" in target ? sessions.value.get(target.id) : undefined;
  const peer = "id" in target ? own?.peer : target.peer;
  const running = [...sessions.value.values()].filter(
    (session) => session.alive && session.peer === peer && (session.agent ?? session.kind) !== "shell",
  );
  const isThis = (session: (typeof running)[number]): boolean =>
    "id" in target ? session.id === target.id : isOf(session, target.unifiedId, target.peer);
  const name = ({ id, title }: (typeof running)[number], label: string): Choice => ({
    // The other machine knows its sessions by their own ids.
    value: id.split("@")[0]!,
    label: `${label}${title}`,
  });
  const others = running.filter((session) => !isThis(session)).map((session) => name(session, ""));
  const installed = peer === undefined ? [...agents.value.values()].filter((agent) => agent.installed) : [];
  return [
    ...running.filter(isThis).map((session) => name(session, "this session: ")),
    ...others,
    ...installed.map((agent) => ({ value: `new ${agent.name}`, label: `a new ${agent.display_name} session` })),
  ];
}
