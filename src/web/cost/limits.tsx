/** Usage limits in the cost view: what is used, when it resets, and a forecast. Shown only where some are known. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { timeLeft } from "../../core/limits.ts";
import type { Limit } from "../../protocol/limits.ts";
import { api } from "../state/api.ts";
import { fullTime } from "../ui/times.ts";
import { EVERYWHERE, HERE } from "./machine-choice.tsx";

/** Agents are told with every response; a person looks less often. */
const LOOK_EVERY_MS = 60_000;

export function Limits({ machine }: { machine: string }): JSX.Element | null {
  const limits = useSignal<Limit[]>([]);
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        limits.value = (await api.limits(peerOf(machine))).limits;
      } catch {
        // The banner says that the daemon does not answer; the last figures stay.
      }
    };
    void load();
    const timer = setInterval(() => void load(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [machine]);
  if (limits.value.length === 0) return null;
  const now = Date.now();
  return (
    <section class="limits" aria-label="Usage limits">
      {limits.value.map((limit) => (
        <LimitBar key={`${limit.agent} ${limit.account} ${limit.window}`} limit={limit} now={now} />
      ))}
    </section>
  );
}

/** A choice of all machines shows this one's. */
function peerOf(machine: string): string | undefined {
  return machine === HERE || machine === EVERYWHERE ? undefined : machine;
}

function LimitBar({ limit, now }: { limit: Limit; now: number }): JSX.Element {
  const { agent, account, plan, window, used_percent, is_reset, resets_at, as_of } = limit;
  const used = Math.round(used_percent);
  const name = [agent, account ?? plan, window].filter((word) => word !== undefined).join(" · ");
  return (
    <div class="limit" title={`As of ${fullTime(as_of)}`}>
      <div class="limit-head">
        <span>{name}</span>
        <strong>{is_reset ? "reset" : `${used}%`}</strong>
      </div>
      {is_reset ? null : (
        <div
          class={`limit-bar ${used >= 90 ? "full" : used >= 75 ? "high" : ""}`}
          role="meter"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.min(100, used)}
        >
          <span style={{ width: `${Math.min(100, used)}%` }} />
        </div>
      )}
      <small>{is_reset || resets_at === undefined ? "" : wordsOf(limit, Date.parse(resets_at), now)}</small>
    </div>
  );
}

function wordsOf({ pace, forecast }: Limit, resetsAt: number, now: number): string {
  const [low = 0, high = low] = (forecast?.percent ?? []).map(Math.round);
  const [full] = forecast?.full_at ?? [];
  const words = [`resets in ${timeLeft(resetsAt - now)}`];
  if (pace !== undefined) words.push(`pace ${pace.toFixed(2)}`);
  if (full !== undefined)
    words.push(Date.parse(full) <= now ? "used up" : `full in ${timeLeft(Date.parse(full) - now)}`);
  else if (forecast !== undefined) words.push(`${low === high ? low : `${low} to ${high}`}% at the reset`);
  return words.join(" · ");
}
