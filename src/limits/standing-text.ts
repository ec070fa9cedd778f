/** Limits in words, for the command and the terminal interface. */
import { timeLeft, type LimitRefused } from "../core/limits.ts";
import { localTime } from "../lib/text/local-time.ts";
import { truncate } from "../lib/text/text.ts";
import { topSessions, type LimitUser } from "./limit-users.ts";
import type { Forecast, LimitStanding } from "./standing.ts";

/** Three of them fit on a line. */
const MAX_TITLE = 40;

export function usedText({ usedPercent, isReset }: LimitStanding): string {
  return isReset ? "–" : `${Math.round(usedPercent)}%`;
}

export function resetText({ resetsAt, isReset }: LimitStanding, now: number): string {
  if (resetsAt === undefined) return "unknown";
  return isReset ? `${timeLeft(now - resetsAt)} ago` : `in ${timeLeft(resetsAt - now)}`;
}

export function paceText({ pace }: LimitStanding): string {
  return pace === undefined ? "–" : pace.toFixed(2);
}

export function forecastText(forecast: Forecast | undefined, now: number): string {
  if (forecast === undefined) return "–";
  const { percent, fullAt } = forecast;
  if (fullAt === undefined) return `${between(`${Math.round(percent[0])}`, `${Math.round(percent[1])}`)}% at the reset`;
  const [earliest, latest] = fullAt;
  if (earliest <= now) return "used up";
  const soonest = timeLeft(earliest - now);
  return latest === undefined ? `full in ${soonest} or later` : `full in ${between(soonest, timeLeft(latest - now))}`;
}

/** A row of a list that has no columns of its own. */
export function standingLine(standing: LimitStanding, now: number): string {
  const { agent, account, plan, window, forecast } = standing;
  const who = [agent, account ?? plan].filter((word) => word !== undefined).join(" ");
  const used = standing.isReset ? "reset" : `${usedText(standing)} used`;
  return `${who}  ${window}  ${used}, resets ${resetText(standing, now)}, pace ${paceText(standing)}, ${forecastText(forecast, now)}`;
}

/** Which projects and sessions used a window, if any did. */
export function userLines(users: readonly LimitUser[], pathText: (path: string) => string): string[] {
  if (users.length === 0) return [];
  const projects = users.map(({ project, percent }) => `${pathText(project)} ${percent}%`);
  const sessions = topSessions(users).map(
    ({ id, title, percent }) => `${title === undefined ? id : truncate(title, MAX_TITLE)} ${percent}%`,
  );
  return [`cost on this machine: ${projects.join(", ")}`, `sessions: ${sessions.join(", ")}`];
}

/** `claude me@example.com: refused at 20:03 (5h limit), resets in 1h59m`. */
export function refusalText({ agent, account, kind, at, resetsAt }: LimitRefused, now: number): string {
  const who = [agent, account].filter((word) => word !== undefined).join(" ");
  const reset = resetsAt === undefined ? "the time of the reset is unknown" : `resets in ${timeLeft(resetsAt - now)}`;
  return `${who}: refused at ${localTime(new Date(at))}${kind === undefined ? "" : ` (${kind} limit)`}, ${reset}`;
}

function between(low: string, high: string): string {
  return low === high ? low : `${low} to ${high}`;
}
