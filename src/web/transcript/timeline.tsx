/** Every turn of a transcript with its time, duration and cost. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { money, plural } from "../ui/figures.ts";
import { clock, duration, fullTime } from "../ui/times.ts";
import type { Transcript, TurnCost } from "./transcript.ts";

/** Rows that are added at a time: each one reads its turn. */
const AT_ONCE = 100;
const MAX_PROMPT = 160;

export function Timeline({ transcript, onJump }: { transcript: Transcript; onJump(index: number): void }): JSX.Element {
  const isOpen = useSignal(false);
  const most = useSignal(AT_ONCE);
  void transcript.count.value;
  void transcript.changes.value;
  const { prompts } = transcript;
  const shown = isOpen.value ? prompts.slice(0, most.value) : [];
  const rows = shown.map((index) => ({ index, message: transcript.message(index)!, turn: transcript.turn(index) }));
  const longest = Math.max(1, ...rows.map(({ turn }) => turn.ms ?? 0));
  return (
    <details class="timeline" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Timeline: {plural(prompts.length, "turn")}</summary>
      <ol>
        {rows.map(({ index, message: { content, timestamp }, turn }) => (
          <li key={index}>
            <button type="button" class="quiet" onClick={() => onJump(index)}>
              <time class="muted" dateTime={timestamp} title={fullTime(timestamp)}>
                {timestamp === undefined ? "" : clock(timestamp)}
              </time>
              <span class="timeline-prompt">{content.trim().slice(0, MAX_PROMPT)}</span>
              <span class="timeline-bar" aria-hidden="true">
                <span style={{ width: `${(100 * (turn.ms ?? 0)) / longest}%` }} />
              </span>
              <span class="timeline-figure">{turn.ms === undefined ? "" : duration(turn.ms)}</span>
              <span class="timeline-figure">{costOf(turn)}</span>
            </button>
          </li>
        ))}
      </ol>
      {shown.length < prompts.length && isOpen.value ? (
        <button type="button" class="quiet small" onClick={() => (most.value += AT_ONCE)}>
          Show {plural(Math.min(AT_ONCE, prompts.length - shown.length), "more turn")}
        </button>
      ) : null}
    </details>
  );
}

function costOf({ isPriced, usd }: TurnCost): string {
  return isPriced ? money(usd) : "";
}
