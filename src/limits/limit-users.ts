/** Which projects and sessions used a window: their share of what the agent cost on this machine since it began. */
import type { CostBreakdown, CostSummary } from "../core/cost.ts";
import { optional } from "../lib/values/optional.ts";
import type { LimitStanding } from "./standing.ts";

/** As many as fit on a line. */
const MAX_USERS = 3;

export interface LimitUser {
  project: string;
  percent: number;
  sessions: { id: string; title?: string; percent: number }[];
}

export type AskUsers = (query: {
  agent: string;
  since: Date;
  groupBy: ("project" | "session")[];
}) => Promise<CostSummary>;

/** Usage elsewhere is not in it. Empty if the window is over, or its beginning unknown. */
export async function limitUsers({ agent, startedAt, isReset }: LimitStanding, ask: AskUsers): Promise<LimitUser[]> {
  if (startedAt === undefined || isReset) return [];
  const cost = await ask({ agent, since: new Date(startedAt), groupBy: ["project", "session"] });
  const share = ({ totalUsd }: CostBreakdown): number => Math.round((100 * totalUsd) / cost.totalUsd);
  return largest(cost.breakdowns).map((project) => ({
    project: project.key,
    percent: share(project),
    sessions: largest(project.breakdowns).map((session) => ({
      id: session.key,
      ...optional("title", session.title === "" ? undefined : session.title),
      percent: share(session),
    })),
  }));
}

/** The sessions of all projects that used most. */
export function topSessions(users: readonly LimitUser[]): LimitUser["sessions"] {
  const sessions = users.flatMap((user) => user.sessions);
  return sessions.sort((a, b) => b.percent - a.percent).slice(0, MAX_USERS);
}

function largest(breakdowns: Record<string, CostBreakdown> = {}): CostBreakdown[] {
  const spent = Object.values(breakdowns).filter(({ totalUsd }) => totalUsd > 0);
  return spent.sort((a, b) => b.totalUsd - a.totalUsd).slice(0, MAX_USERS);
}
