/** The attention strip: sessions that wait for the user, with answers where possible. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import { attentionFolded, isNarrow } from "../state/preferences.ts";
import { attention } from "../state/projection.ts";
import { talkingId } from "../session/talk.ts";
import { go } from "../state/route.ts";
import { besideIds } from "../state/beside.ts";
import { select, selectedId } from "../state/selection.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { baseName, plural } from "../ui/figures.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { ActionMenu } from "../ui/menu.tsx";
import { attempt, tellUndo } from "../ui/notices.ts";
import { api } from "../state/api.ts";
import { isAnswered, isPressing, keyOf } from "./answered.ts";
import { CardReply } from "./card-reply.tsx";
import { age, fullTime } from "../ui/times.ts";

const WORDS: Record<AttentionItem["reason"], { text: string; icon: IconName }> = {
  permission: { text: "wants permission", icon: "lock" },
  question: { text: "asks", icon: "question" },
  error: { text: "failed", icon: "alert" },
  limit: { text: "reached a usage limit", icon: "alert" },
  budget: { text: "has reached its warning", icon: "alert" },
  finished: { text: "finished", icon: "check" },
  queue: { text: "has a held prompt", icon: "later" },
  conflict: { text: "edit the same file", icon: "alert" },
};

const SNOOZES: readonly [label: string, seconds: () => number][] = [
  ["15 minutes", () => 15 * 60],
  ["1 hour", () => 3600],
  ["Until tomorrow, 9:00", untilTomorrow],
];

/** Limits the height of the strip; the sidebar shows all of them. A phone has room for one. */
const SHOWN = 3;
const SHOWN_NARROW = 1;

export function AttentionStrip(): JSX.Element | null {
  const isWhole = useSignal(false);
  const isFolded = attentionFolded.value;
  // A visible session shows its own news; questions that block it stay here unless they are beside its composer.
  const items = attention.value.filter(
    (item) =>
      !isAnswered(item) &&
      item.session_id !== talkingId.value &&
      (isPressing(item) || ![selectedId.value, ...besideIds.value].includes(item.session_id)),
  );
  if (items.length === 0) return null;
  const pressing = items.filter(isPressing).length;
  const most = isNarrow.value ? SHOWN_NARROW : SHOWN;
  const shown = isWhole.value ? items : items.slice(0, most);
  return (
    <section class={`attention ${pressing > 0 ? "pressing" : ""}`} aria-label="Needs you">
      <h2>
        {pressing > 0 ? `${plural(pressing, "session")} ${pressing === 1 ? "needs" : "need"} you` : "Updates"}
        <a class="only-phone show-all" href="/list">
          Show
        </a>
        <button
          type="button"
          class="quiet small fold-strip"
          aria-expanded={!isFolded}
          onClick={() => (attentionFolded.value = !isFolded)}
        >
          {isFolded ? "Show" : "Hide"}
        </button>
        {!isFolded && items.length > most ? (
          <button type="button" class="quiet small" onClick={() => (isWhole.value = !isWhole.value)}>
            {isWhole.value ? "Fewer" : `All ${items.length}`}
          </button>
        ) : null}
      </h2>
      {isFolded ? null : (
        <ul>
          {shown.map((item) => (
            // A draft belongs to one question and is not kept for the next.
            <AttentionCard key={`${keyOf(item)} ${item.member ?? ""}`} item={item} />
          ))}
        </ul>
      )}
    </section>
  );
}

function AttentionCard({ item }: { item: AttentionItem }): JSX.Element {
  const { session_id: id, title, agent, member, reason, text, since, cwd } = item;
  const words = WORDS[reason];
  return (
    <li class={`card ${reason}`} data-session={id}>
      <span class="card-icon">
        <Icon name={words.icon} size={18} />
      </span>
      <button type="button" class="card-main" disabled={item.place === "tmux"} onClick={() => openItem(item)}>
        <span class="card-title">
          <strong>{title}</strong> {words.text}
          {member === undefined ? null : <span class="muted"> ({member})</span>}
        </span>
        {text === undefined || text === "" ? null : (
          <span class="card-text" title={text}>
            {text}
          </span>
        )}
      </button>
      <span class="card-line">
        {agent === "" ? null : <AgentBadge agent={agent} />} {cwd === "" ? null : `${baseName(cwd)} · `}
        <span title={fullTime(since)}>{age(since)}</span>
      </span>
      <span class="card-answer">
        <CardAnswer item={item} />
        {item.place === "tmux" ? null : (
          <ActionMenu
            icon="later"
            label="Snooze"
            text="Snooze"
            items={SNOOZES.map(([label, seconds]) => ({
              label,
              icon: "later",
              run: () => void snooze(item, label, seconds()),
            }))}
          />
        )}
      </span>
    </li>
  );
}

function untilTomorrow(): number {
  const now = new Date();
  return (new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9).getTime() - now.getTime()) / 1000;
}

/** Hides the session until it has news after the snooze; the notice can undo it. */
async function snooze({ session_id: id, title }: AttentionItem, label: string, seconds: number): Promise<void> {
  if ((await attempt(() => api.snooze(id, Math.round(seconds)))) === undefined) return;
  tellUndo(`“${title}” is snoozed: ${label.toLowerCase()}.`, () => api.snooze(id));
}

function openItem({ session_id: id, reason, sessions }: AttentionItem): void {
  if (reason === "budget") go("/cost");
  else if (reason !== "queue" || sessions !== undefined) select(sessions?.[0] ?? id);
}

function CardAnswer({ item }: { item: AttentionItem }): JSX.Element {
  const { session_id: id, reason } = item;
  if (reason === "budget")
    return (
      <button type="button" class="small" onClick={() => openItem(item)}>
        Show costs
      </button>
    );
  if (reason === "queue" && item.sessions === undefined) return <></>;
  if (reason === "conflict" || reason === "queue")
    return (
      <button type="button" class="small" onClick={() => openItem(item)}>
        Open
      </button>
    );
  if (item.place === "tmux") return <span class="muted">in tmux</span>;
  if (isPressing(item)) return <CardReply item={item} onOpen={() => select(id)} />;
  return (
    <>
      <button type="button" class="small" onClick={() => select(id)}>
        Open
      </button>
      <IconButton icon="check" label="Mark as read" onClick={() => void attempt(() => api.read(id))} />
    </>
  );
}
