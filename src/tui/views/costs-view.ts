/** The cost of all sessions: a total, and rows by group. */
import type { CostBreakdown } from "../../core/cost.ts";
import type { CostGroup } from "../../history/cost/grouping.ts";
import { inOrder, weakestKind } from "../../history/cost/report-order.ts";
import { oneLine } from "../../lib/text/text.ts";
import { parseDateRange } from "../../lib/values/typed-date.ts";
import { compact, tildePath, price } from "../dashboard/figures.ts";
import { fit, padded, widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import { TextView, type TextLine } from "./text-view.ts";

const GROUPS: readonly CostGroup[] = ["model", "project", "session", "agent", "day", "week", "month"];
const PERIODS = ["all", "this month", "7d", "today"] as const;
const MAX_LABEL = 48;
const MAX_BAR = 16;

export function costsView(stage: Stage): TextView {
  let group = 0;
  let period = 0;
  const load = (): Promise<TextLine[]> => costLines(stage, GROUPS[group]!, PERIODS[period]!);
  const next = (change: () => void) => ({
    run: (): void => {
      change();
      stage.attempt(view.load());
    },
  });
  const view: TextView = new TextView(stage, {
    title: "Cost of all sessions",
    load,
    own: {
      mode: "costs",
      actions: {
        grouping: { does: "group", ...next(() => (group = (group + 1) % GROUPS.length)) },
        period: { does: "period", ...next(() => (period = (period + 1) % PERIODS.length)) },
      },
    },
  });
  return view;
}

async function costLines(stage: Stage, group: CostGroup, period: (typeof PERIODS)[number]): Promise<TextLine[]> {
  const history = await stage.services.history();
  const from = period === "all" ? undefined : parseDateRange(period)?.from;
  const since = from === undefined ? {} : { since: new Date(from) };
  const report = await history.totalCost({ ...since, groupBy: group, index: "fill" });
  const titles = group === "session" ? await titlesOf(stage) : undefined;
  const groups = inOrder(report.breakdowns, group);
  const rows = ["day", "week", "month"].includes(group) ? groups.reverse() : groups;
  const labels = rows.map(({ key }) => labelOf(stage, key, titles));
  const total = price({ ...report, kind: weakestKind(report) });
  const width = Math.min(MAX_LABEL, Math.max("total".length, ...labels.map(widthOf)));
  const most = Math.max(0, ...rows.map(({ totalUsd }) => totalUsd));
  return [
    { text: `${period === "all" ? "all time" : period}, by ${group}`, look: THEME.accentBold },
    { text: "" },
    ...rows.map((row, at) => ({ text: line(labels[at]!, row, width, most) })),
    {
      text: `${padded("total", width)} ${total.padStart(9)}  ${tokensOf(report)}`,
      look: THEME.bold,
    },
    ...(await limitLines(stage)),
  ];
}

async function limitLines(stage: Stage): Promise<TextLine[]> {
  const limits = await stage.services.limits();
  if (limits.length === 0) return [];
  return [
    { text: "" },
    { text: "usage limits", look: THEME.accentBold },
    ...limits.map((text) => ({ text: oneLine(text) })),
  ];
}

function line(label: string, row: CostBreakdown, width: number, most: number): string {
  const bar = most === 0 ? "" : "▆".repeat(Math.ceil((MAX_BAR * row.totalUsd) / most));
  return `${padded(fit(label, width), width)} ${price(row).padStart(9)}  ${padded(tokensOf(row), 18)} ${bar}`.trimEnd();
}

function tokensOf({ inputTokens, cachedTokens, cacheWriteTokens, outputTokens }: CostBreakdown | Tokens): string {
  return `${compact(inputTokens + cachedTokens + cacheWriteTokens)} in, ${compact(outputTokens)} out`;
}

type Tokens = Pick<CostBreakdown, "inputTokens" | "cachedTokens" | "cacheWriteTokens" | "outputTokens">;

function labelOf(stage: Stage, key: string, titles: ReadonlyMap<string, string> | undefined): string {
  if (titles !== undefined) return oneLine(titles.get(key) ?? "") || key;
  return key.startsWith("/") ? tildePath(oneLine(key), stage.services.env.home) : oneLine(key);
}

async function titlesOf(stage: Stage): Promise<Map<string, string>> {
  const history = await stage.services.history();
  const rows = await history.listAll({ limit: Number.POSITIVE_INFINITY, counts: false, index: "fill" });
  return new Map(rows.map(({ unifiedId, title }) => [unifiedId, title]));
}
