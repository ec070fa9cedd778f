/** Details of a session as lines of text. */
import { STATES } from "../../core/state.ts";
import { localTime } from "../../lib/text/local-time.ts";
import { usageOfTrees } from "../../status/process-usage.ts";
import type { Row } from "../data/row.ts";
import { statusLook, THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import type { TextLine } from "../views/text-view.ts";
import { bytes, compact, price, span } from "./figures.ts";

export async function metricsLines(stage: Stage, row: Row): Promise<TextLine[]> {
  const { pid, view } = row;
  const usage = pid === undefined ? undefined : (await usageOfTrees([pid])).get(pid);
  const metrics = view?.metrics;
  const tools = Object.entries(metrics?.tools ?? {}).sort(([, a], [, b]) => b - a);
  const most = Math.max(1, ...tools.map(([, count]) => count));
  return [
    ...facts([
      ["state", row.status],
      ["agent", stage.services.agentLabel(row.agent)],
      ["directory", row.cwd],
      [
        "memory",
        usage === undefined
          ? ""
          : `${bytes(usage.rssBytes)} in ${usage.processes} ${usage.processes === 1 ? "process" : "processes"}`,
      ],
      ["processor", usage === undefined ? "" : `${usage.cpuSeconds.toFixed(1)} s`],
      ["working", metrics === undefined ? "" : span(metrics.working_seconds)],
      ["waiting", metrics === undefined ? "" : span(metrics.waiting_seconds)],
      ["in all", metrics === undefined ? "" : span(metrics.total_seconds)],
      ["tokens", row.tokens === undefined ? "" : `${compact(row.tokens.input)} in, ${compact(row.tokens.output)} out`],
      ["works on", [view?.currentPbi, view?.currentPbiTitle].filter((part) => part !== undefined).join(" ")],
    ]),
    ...(tools.length === 0 ? [] : [{ text: "" }, { text: "Tools", look: THEME.accentBold }]),
    ...tools.map(([tool, count]) => ({
      text: `${tool.padEnd(16)} ${String(count).padStart(5)} ${"▆".repeat(Math.ceil((24 * count) / most))}`,
    })),
    ...(metrics === undefined || metrics.recent_tools.length === 0
      ? []
      : [{ text: `recent: ${metrics.recent_tools.join(", ")}`, look: THEME.dim }]),
    ...fleet(stage),
  ];
}

/** Totals of all sessions. */
function fleet(stage: Stage): TextLine[] {
  const rows = stage.board.rows().filter(({ kind }) => kind === "live" || kind === "tmux");
  const memory = rows.reduce((sum, { pid }) => sum + (stage.board.rssOf(pid) ?? 0), 0);
  const tokens = rows.reduce((sum, row) => sum + (row.tokens?.total ?? 0), 0);
  const counts = STATES.map((state) => ({ state, count: rows.filter(({ status }) => status === state).length }));
  return [
    { text: "" },
    { text: "All sessions", look: THEME.accentBold },
    ...facts([
      ["running", String(rows.length)],
      ["memory", memory === 0 ? "" : bytes(memory)],
      ["tokens", tokens === 0 ? "" : compact(tokens)],
    ]),
    ...counts
      .filter(({ count }) => count > 0)
      .map(({ state, count }) => ({
        text: `${statusLook(state).icon} ${state.padEnd(12)} ${count}`,
        look: statusLook(state).look,
      })),
  ];
}

export async function costLines(stage: Stage, { conversation }: Pick<Row, "conversation">): Promise<TextLine[]> {
  if (conversation === undefined) return [{ text: "No conversation found for this session.", look: THEME.dim }];
  const history = await stage.services.history();
  const { summary } = await history.open(conversation.agent, conversation.sessionId);
  const { cost } = summary;
  return facts([
    ["conversation", summary.unifiedId],
    ["title", summary.title],
    ["model", summary.model ?? ""],
    ["turns", String(summary.turnCount)],
    ["messages", String(summary.messageCount)],
    ["cost", cost === undefined ? "not known" : `${price(cost)}${cost.kind === undefined ? "" : ` (${cost.kind})`}`],
    ["input", cost === undefined ? "" : compact(cost.inputTokens)],
    ["output", cost === undefined ? "" : compact(cost.outputTokens)],
    ["cache reads", cost?.cachedTokens === undefined ? "" : compact(cost.cachedTokens)],
    ["cache writes", cost?.cacheWriteTokens === undefined ? "" : compact(cost.cacheWriteTokens)],
    ["thinking", cost?.thinkingTokens === undefined ? "" : compact(cost.thinkingTokens)],
  ]);
}

/** The report of each source, and its time. */
export function explainLines({ view, status }: Row): TextLine[] {
  if (view === undefined) return [{ text: "Not running; no status reported.", look: THEME.dim }];
  const { agents } = view;
  const shown = agents.length > 1 ? `${status}, the most urgent of ${agents.length}` : status;
  const each = agents.flatMap((agent): TextLine[] => [
    { text: `${agent.agent || "main agent"}: ${agent.status}`, look: statusLook(agent.status).look },
    ...facts([
      [
        "because",
        agent.verdict === undefined
          ? "no status reported"
          : `${agent.verdict.by.source}${agent.verdict.by.event === undefined ? "" : `, ${agent.verdict.by.event}`}`,
      ],
      ["since", localTime(new Date(agent.since))],
      ["message", agent.message ?? ""],
      ["overruled", (agent.verdict?.overruled ?? []).map(({ source, state }) => `${source} said ${state}`).join("; ")],
    ]),
    ...agent.evidence.log.map(({ at, source, state, event }) => ({
      text: `${new Date(at).toTimeString().slice(0, 8)} ${source}: ${state}${event === undefined ? "" : ` (${event})`}`,
      look: THEME.dim,
      indent: 2,
    })),
    { text: "" },
  ]);
  return [...facts([["shown as", shown]]), { text: "" }, ...each];
}

/** Names and values in two columns; empty values are omitted. */
export function facts(pairs: readonly (readonly [string, string])[]): TextLine[] {
  return pairs.filter(([, value]) => value !== "").map(([name, value]) => ({ text: `${name.padEnd(14)} ${value}` }));
}
