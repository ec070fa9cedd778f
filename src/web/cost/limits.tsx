/** Usage limits in the cost view: what is used, when it resets, and a forecast. Shown only where some are known. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { timeLeft } from "../../core/limits.ts";
import type { BudgetUse, Limit } from "../../protocol/limits.ts";
import { api } from "../state/api.ts";
import { messageOf } from "../ui/notices.ts";
import { clock, fullTime } from "../ui/times.ts";
import { EVERYWHERE, HERE } from "./machine-choice.tsx";

/** Agents get new figures with every response; a person looks less often. */
const LOOK_EVERY_MS = 60_000;

/** Needs the machine as its key: figures and late answers of another machine are never shown. */
export function Limits({ machine }: { machine: string }): JSX.Element | null {
  const limits = useSignal<Limit[]>([]);
  const budgets = useSignal<BudgetUse[]>([]);
  const problem = useSignal("");
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        const answer = await api.limits(peerOf(machine));
        limits.value = answer.limits;
        budgets.value = answer.budgets;
        problem.value = "";
      } catch (error) {
        problem.value = messageOf(error); // The last figures stay.
      }
    };
    void load();
    const timer = setInterval(() => void load(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (limits.value.length + budgets.value.length === 0 && problem.value === "") return null;
  const now = Date.now();
  return (
    <section class="limits" aria-label="Usage limits and budgets">
      {problem.value === "" ? null : <p class="bad">Usage limits: {problem.value}</p>}
      {limits.value.map((limit, at) => (
        <LimitBar key={at} limit={limit} now={now} />
      ))}
      {budgets.value.map((budget, at) => (
        <BudgetBar key={at} budget={budget} />
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
    <div class="limit">
      <div class="limit-head">
        <span>{name}</span>
        <strong>{is_reset ? "reset" : `${used}%`}</strong>
      </div>
      {is_reset ? null : <Bar name={name} percent={used} level={used >= 100 ? "over" : used >= 75 ? "warn" : "ok"} />}
      <small>
        {is_reset || resets_at === undefined ? "" : `${wordsOf(limit, Date.parse(resets_at), now)} · `}
        <time dateTime={as_of} title={fullTime(as_of)}>
          as of {clock(as_of)}
        </time>
      </small>
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
