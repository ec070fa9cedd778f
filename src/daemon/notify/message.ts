/** What a channel is told: names and reasons, and of a question only as much as an answer needs. Never a transcript. */
import { visibleControls } from "../../core/visible-text.ts";
import type { PathEnv } from "../../lib/fs/paths.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { sha256 } from "../../lib/values/sha256.ts";
import { isOfSession, type AttentionItem, type Reason } from "../../status/attention.ts";
import { matchAnswer } from "../../status/choice-match.ts";
import type { NoticeAction } from "../../status/notices.ts";

export interface Message {
  event: "send" | "withdraw";
  /** The same for a notification and its withdrawal. */
  tag: string;
  title: string;
  /** The question. Other texts of a session stay on this machine. */
  body: string;
  /** Where a click leads, in the page. */
  path: string;
  /** Somebody is needed before the session goes on. */
  isUrgent: boolean;
  items: { ref: string; name: string; agent: string; reason: Reason; since: string }[];
  /** A question that allow and deny answer. */
  question?: { session: string; asked: string };
}

const MAX_TITLE = 120;
const MAX_BODY = 300;
const MAX_ITEMS = 20;
const TAG_LENGTH = 24;

export function messageOf({ kind, notice }: NoticeAction): Message {
  const { items } = notice;
  const [only] = items.length === 1 ? items : [];
  return {
    event: kind,
    tag: tagOf(items),
    title: shown(notice.title, MAX_TITLE),
    body: only === undefined ? "" : bodyOf(only),
    path: only === undefined ? "/overview" : pathOf(only),
    isUrgent: items.some(isQuestion),
    items: items.slice(0, MAX_ITEMS).map(({ ref, name, agent, reason, since }) => ({
      ref,
      name: shown(name, MAX_TITLE),
      agent,
      reason,
      since: new Date(since).toISOString(),
    })),
    ...optional("question", only && questionOf(only)),
  };
}

export function testMessage(): Message {
  const title = "amux can reach you here";
  return {
    event: "send",
    tag: "amux-test",
    title,
    body: "This is a test.",
    path: "/settings",
    isUrgent: true,
    items: [],
  };
}

/** For services that can read what they get. */
export async function withoutSecrets(message: Message, env: PathEnv): Promise<Message> {
  // The rules are large, and most daemons have no such service.
  const { readRules } = await import("../../redaction/user-rules.ts");
  const { redactor } = readRules(env);
  const clean = (text: string): string => redactor.text(text, "notification", []);
  const items = message.items.map((item) => ({ ...item, name: clean(item.name) }));
  return { ...message, title: clean(message.title), body: clean(message.body), items };
}

function shown(text: string, max: number): string {
  return visibleControls(truncate(oneLine(text), max));
}

function isQuestion({ reason }: AttentionItem): boolean {
  return reason === "permission" || reason === "question";
}

function bodyOf(item: AttentionItem): string {
  // Budgets, queues and conflicts have amux's own words; of the others only questions are told.
  return isQuestion(item) || !isOfSession(item) ? shown(item.text ?? "", MAX_BODY) : "";
}

function pathOf({ reason, place, ref }: AttentionItem): string {
  if (reason === "budget") return "/cost";
  return place === "amux" && isOfSession({ reason }) ? `/s/${ref}` : "/overview";
}

/** Only if allow and deny mean one option each, as amux answer reads them, and nothing of what is asked was cut off. */
function questionOf(item: AttentionItem): Message["question"] {
  const { reason, place, ref, asked, member, text = "", options = [], several = false } = item;
  if (bodyOf(item).endsWith("…") || text.endsWith("…")) return undefined;
  if (reason !== "permission" || place !== "amux" || asked === undefined || member !== undefined) return undefined;
  const choice = {
    question: "",
    options: options.map(({ number, label }) => ({ ...optional("number", number), label, isMarked: false })),
    isSeveral: several,
    isAcross: false,
    isScrolled: false,
  };
  const isClear = (answer: string): boolean => options.length === 0 || matchAnswer(choice, answer)?.kind === "options";
  return isClear("allow") && isClear("deny") ? { session: ref, asked } : undefined;
}

/** Does not depend on the daemon's run, so that a later notification never takes an earlier one's place. */
function tagOf(items: readonly AttentionItem[]): string {
  return sha256(JSON.stringify(items.map(({ ref, member, reason, since }) => [ref, member, reason, since]))).slice(
    0,
    TAG_LENGTH,
  );
}
