/** Usage limits in the cost view: what is used, when it resets, and a forecast. Shown only where some are known. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { timeLeft } from "../../core/limits.ts";
import type { BudgetUse, Limit } from "../../protocol/limits.ts";
import { api } from "../state/api.ts";
import { fullTime } from "../ui/times.ts";
import { EVERYWHERE, HERE } from "./machine-choice.tsx";

/** Agents get new figures with every response; a person looks less often. */
const LOOK_EVERY_MS = 60_000;

export function Limits({ machine }: { machine: string }): JSX.Element | null {
  const limits = useSignal<Limit[]>([]);
  const budgets = useSignal<BudgetUse[]>([]);
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        const answer = await api.limits(peerOf(machine));
        limits.value = answer.limits;
        budgets.value = answer.budgets;
      } catch {
        // The banner says that the daemon does not answer; the last figures stay.
      }
    };
    void load();
    const timer = setInterval(() => void load(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [machine]);
  if (limits.value.length + budgets.value.length === 0) return null;
  const now = Date.now();
  return (
    <section class="limits" aria-label="Usage limits and budgets">
      {limits.value.map((limit) => (
        <LimitBar key={`${limit.agent} ${limit.account} ${limit.window}`} limit={limit} now={now} />
      ))}
      {budgets.value.map((budget) => (
        <BudgetBar key={budget.text} budget={budget} />
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
      {is_reset ? null : <Bar name={name} percent={used} level={used >= 90 ? "over" : used >= 75 ? "warn" : "ok"} />}
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

function BudgetBar({ budget: { text, share_percent, level } }: { budget: BudgetUse }): JSX.Element {
  const percent = share_percent === undefined ? undefined : Math.round(share_percent);
  const [span = "", use = ""] = text.split(/: (?=[^:]*$)/);
  return (
    <div class="limit">
      <div class="limit-head">
        <span>Budget · {span}</span>
        <strong>{percent === undefined ? "unknown" : `${percent}%`}</strong>
      </div>
      {percent === undefined ? null : <Bar name={`Budget, ${span}`} percent={percent} level={level} />}
      <small>{percent === undefined ? "" : use}</small>
    </div>
  );
}

function Bar({ name, percent, level }: { name: string; percent: number; level: BudgetUse["level"] }): JSX.Element {
  const width = Math.min(100, percent);
  return (
    <div
      class={`limit-bar ${level}`}
      role="meter"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={width}
    >
      <span style={{ width: `${width}%` }} />
    </div>
  );
}
