/** The attention list: which sessions wait for the user, for what and since when; budgets that warn; prompts that are held. */
import type { BudgetWarning } from "../core/budget-warning.ts";
import type { EditConflict } from "../core/edit-conflict.ts";
import type { HeldPrompt } from "../core/held-prompt.ts";
import type { OfferedOption } from "../core/offer.ts";
import { limitRefusal } from "../core/limit-refusal.ts";
import { oneLine, truncate } from "../lib/text/text.ts";
import { optional } from "../lib/values/optional.ts";
import { momentAt } from "../lib/values/zone-moment.ts";
import { conflictText } from "./conflict-file.ts";
import type { AgentView, SessionView } from "./session-view.ts";

export const REASONS = ["permission", "question", "error", "limit", "budget", "finished", "queue", "conflict"] as const;
export type Reason = (typeof REASONS)[number];

/** Nobody is notified of the others unless asked for. */
export const LOUD_REASONS: readonly Reason[] = REASONS.filter((reason) => !["queue", "conflict"].includes(reason));

/** A session that waits, a budget that warns, a held prompt, or two sessions that edit the same file. */
export interface AttentionItem {
  /** For a budget, a held prompt or a conflict, its own id. */
  ref: string;
  name: string;
  place: SessionView["place"];
  agent: string;
  /** The team member who asks, if it is not the agent itself. */
  member?: string;
  reason: Reason;
  /** The question, the error, or the last message. */
  text?: string;
  /** Milliseconds since the epoch. */
  since: number;
  cwd: string;
  /** Of a used-up limit, if the agent says it; in milliseconds since the epoch. */
  resetsAt?: number;
  /** Source of the status: a hook, the program itself, … */
  source?: string;
  /** The options, and whether several can be chosen. */
  options?: readonly OfferedOption[];
  several?: boolean;
  /** Id of the question: an answer can carry it. */
  asked?: string;
  /** The two of a conflict; the one that a held prompt is for. */
  sessions?: readonly string[];
}

/** Enough to recognise a prompt. */
const MAX_PROMPT = 60;

/** Results unread for this long, and lost sessions, are dropped from the list. */
const FINISHED_FOR_MS = 24 * 3_600_000;

/** Most urgent first; then the longest waiting. */
export function attentionQueue(sessions: readonly SessionView[], now: number): AttentionItem[] {
  return sessions.flatMap((session) => itemsOf(session, now)).sort(byUrgency);
}

/** Belongs to no session: it has no agent, and can only be snoozed. */
export function budgetItem({ id, name, text, since, project = "" }: BudgetWarning): AttentionItem {
  return { ref: id, name, place: "amux", agent: "", reason: "budget", text, since, cwd: project };
}

/** Belongs to two sessions: it has no agent, and can only be snoozed. */
export function conflictItem(conflict: EditConflict, nameOf: (id: string) => string | undefined): AttentionItem {
  const { id, sessions, since } = conflict;
  const name = sessions.map((session) => nameOf(session) ?? session).join(" and ");
  const text = conflictText(conflict);
  return { ref: id, name, place: "amux", agent: "", reason: "conflict", text, since, cwd: "", sessions };
}

/** Belongs to a queue: it has no agent, and can only be opened and snoozed. */
export function queueItem(held: HeldPrompt, nameOf: (id: string) => string | undefined): AttentionItem {
  const { id, text: prompt, note, since, cwd, session, agent = "" } = held;
  const name = session === undefined ? `new ${agent} session` : (nameOf(session) ?? session);
  const text = `“${truncate(oneLine(prompt), MAX_PROMPT)}” is held. ${note} Use amux queue resume ${id} to send it, or amux queue remove ${id}.`;
  const sessions = session === undefined ? undefined : [session];
  return {
    ref: id,
    name,
    place: "amux",
    agent: "",
    reason: "queue",
    text,
    since,
    cwd,
    ...optional("sessions", sessions),
  };
}

/** Whether it is about a session that can be opened and answered. */
export function isOfSession({ reason }: Pick<AttentionItem, "reason">): boolean {
  return reason !== "budget" && reason !== "queue" && reason !== "conflict";
}

export function byUrgency(a: AttentionItem, b: AttentionItem): number {
  return REASONS.indexOf(a.reason) - REASONS.indexOf(b.reason) || a.since - b.since;
}

function itemsOf(session: SessionView, now: number): AttentionItem[] {
  const { ref, name, place, cwd } = session;
  const common = { ref, name, place, cwd };
  const own = session.agents.flatMap((agent): AttentionItem[] => {
    const reason = reasonOf(agent, session, now);
    if (reason === undefined) return [];
    const text = agent.message ?? agent.label;
    const limit = reason === "error" ? limitRefusal(text ?? "", agent.since, momentAt) : undefined;
    return [
      {
        ...common,
        agent: agent.agent,
        reason: limit === undefined ? reason : "limit",
        ...optional("resetsAt", limit?.resetsAt),
        ...optional("text", text),
        since: agent.since,
        ...optional("source", agent.verdict?.by.source),
        ...(isAsking(reason) ? offerOf(agent) : {}),
      },
    ];
  });
  const members = session.team.flatMap((member): AttentionItem[] => {
    const reason = member.status === "permission" ? "permission" : member.status === "waiting" ? "question" : undefined;
    if (reason === undefined) return [];
    return [{ ...common, agent: session.top.agent, member: member.name, reason, since: member.timestamp * 1000 }];
  });
  return [...own, ...members];
}

function isAsking(reason: Reason): boolean {
  return reason === "permission" || reason === "question";
}

function offerOf({ verdict }: AgentView): Pick<AttentionItem, "options" | "several" | "asked"> {
  const { options, several } = verdict?.by ?? {};
  return { ...optional("options", options), ...optional("several", several), ...optional("asked", verdict?.asked) };
}

function reasonOf(agent: AgentView, { unread }: SessionView, now: number): Reason | undefined {
  switch (agent.state) {
    case "permission":
      return "permission";
    case "waiting":
      return "question";
    case "error":
      // A lost session keeps that state forever.
      return agent.status !== "lost" || now - agent.since < FINISHED_FOR_MS ? "error" : undefined;
    case "done":
      return unread !== false && now - agent.since < FINISHED_FOR_MS ? "finished" : undefined;
    default:
      return undefined;
  }
}
