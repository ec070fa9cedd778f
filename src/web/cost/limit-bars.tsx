/** A usage limit, a budget or a refusal. */
import type { JSX } from "preact";
import { timeLeft } from "../../core/limits.ts";
import type { BudgetUse, Limit, LimitRefusal } from "../../protocol/limits.ts";
import { transcriptPath } from "../state/route.ts";
import { agentLabel } from "../state/agents.ts";
import { baseName } from "../ui/figures.ts";
import { clock, fullTime } from "../ui/times.ts";

export function LimitBar(props: { limit: Limit; now: number; peer: string | undefined }): JSX.Element {
  const { limit, now, peer } = props;
  const { agent, account, plan, window, used_percent, is_reset, resets_at, as_of, used_by = [] } = limit;
  const used = Math.round(used_percent);
  const name = [agentLabel(agent), account ?? plan, window].filter((word) => word !== undefined).join(" · ");
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
      {used_by.length === 0 ? null : <UsedBy users={used_by} peer={peer} />}
    </div>
  );
}

type User = NonNullable<Limit["used_by"]>[number];

/** Shares of the agent's cost on the machine since the window began. */
function UsedBy({ users, peer }: { users: readonly User[]; peer: string | undefined }): JSX.Element {
  const sessions = users.flatMap((user) => user.sessions).sort((a, b) => b.percent - a.percent);
  return (
    <details>
      <summary>{users.map(({ project, percent }) => `${baseName(project)} ${percent}%`).join(", ")}</summary>
      <ul>
        {sessions.map(({ id, title = id, percent }) => (
          <li key={id}>
            <a href={transcriptPath(id, undefined, peer)}>{title}</a> {percent}%
          </li>
        ))}
      </ul>
    </details>
  );
}

function wordsOf({ pace, forecast }: Limit, resetsAt: number, now: number): string {
  const words = [`resets in ${timeLeft(resetsAt - now)}`];
  if (pace !== undefined) words.push(`pace ${pace.toFixed(2)}`);
  if (forecast !== undefined) words.push(forecastOf(forecast, now));
  return words.join(" · ");
}

function forecastOf({ percent, full_at = [] }: NonNullable<Limit["forecast"]>, now: number): string {
  const [earliest, latest] = full_at.map((at) => Date.parse(at) - now);
  if (earliest === undefined) {
    const [low = 0, high = low] = percent.map(Math.round);
    return `${between(String(low), String(high))}% at the reset`;
  }
  if (earliest <= 0) return "used up";
  if (latest === undefined) return `full in ${timeLeft(earliest)} or later`;
  return `full in ${between(timeLeft(earliest), timeLeft(latest))}`;
}

function between(low: string, high: string): string {
  return low === high ? low : `${low} to ${high}`;
}

export function BudgetBar({ budget: { text, share_percent, level } }: { budget: BudgetUse }): JSX.Element {
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

export function RefusalLine({ refusal, now }: { refusal: LimitRefusal; now: number }): JSX.Element {
  const { agent, account, kind, at, resets_at } = refusal;
  const who = [agentLabel(agent), account].filter((word) => word !== undefined).join(" · ");
  const reset =
    resets_at === undefined ? "the time of the reset is unknown" : `resets in ${timeLeft(Date.parse(resets_at) - now)}`;
  return (
    <p class="bad">
      {who}: refused at <time dateTime={at}>{clock(at)}</time>
      {kind === undefined ? "" : ` (${kind} limit)`}, {reset}
    </p>
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
