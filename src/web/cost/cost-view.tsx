/** The cost view: over time, and by agent, model, project or session. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CostBreakdown, CostSummary } from "../../core/cost.ts";
import { compact, money, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { param, setParams } from "../state/route.ts";
import { messageOf } from "../ui/notices.ts";
import { dayOf } from "../ui/times.ts";
import { costOn, HERE, MachineChoice, Missing } from "./machine-choice.tsx";
import { CostExplain } from "./cost-explain.tsx";
import { CostKinds } from "./cost-kinds.tsx";
import { CostPlot } from "./cost-plot.tsx";
import { CostTable } from "./cost-table.tsx";
import { csvOf, download } from "./csv.ts";
import { Limits } from "./limits.tsx";

const DAY_MS = 86_400_000;
const SPANS: readonly [days: number, label: string, word: string][] = [
  [7, "7 days", "7d"],
  [30, "30 days", ""],
  [90, "90 days", "90d"],
  [0, "All", "all"],
];
const GROUPS = ["agent", "model", "project", "session", "day"] as const;
type GroupName = (typeof GROUPS)[number];

interface Loaded {
  byDay: CostSummary;
  byGroup: CostSummary;
}

export function CostView(): JSX.Element {
  const days = SPANS.find(([, , word]) => word === param("time"))?.[0] ?? 30;
  const group = GROUPS.find((name) => name === param("by")) ?? "agent";
  const loaded = useSignal<Loaded | null>(null);
  const problem = useSignal("");
  const explained = useSignal<string | null>(null);
  const machine = param("machine") || HERE;
  const since = days === 0 ? undefined : dayOf(new Date(Date.now() - (days - 1) * DAY_MS));
  useEffect(() => {
    const leaving = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const byDay = await costOn(machine, { since, group_by: `day,agent` }, leaving.signal);
        const byGroup = await costOn(machine, { since, group_by: group }, leaving.signal);
        loaded.value = { byDay, byGroup };
        problem.value = "";
      } catch (error) {
        if (!leaving.signal.aborted) problem.value = messageOf(error);
      }
    };
    void load();
    return () => leaving.abort();
  }, [since, group, machine]);
  return (
    <article class="cost">
      <header class="view-head">
        <a class="icon-button only-phone" href="/list" aria-label="All sessions">
          <Icon name="back" />
        </a>
        <div class="view-title">
          <h1>Cost</h1>
        </div>
        <MachineChoice value={machine} onChange={(name) => setParams({ machine: name === HERE ? "" : name })} />
        <div class="segments" role="group" aria-label="Time">
          {SPANS.map(([value, label, word]) => (
            <button key={label} type="button" aria-pressed={days === value} onClick={() => setParams({ time: word })}>
              {label}
            </button>
          ))}
        </div>
      </header>
      {problem.value === "" ? null : (
        <p class="empty bad" role="alert">
          {problem.value}
        </p>
      )}
      {loaded.value === null && problem.value === "" ? <p class="empty">Loading cost …</p> : null}
      {loaded.value === null ? null : (
        <div class="scroll">
          <Totals summary={loaded.value.byDay} />
          <Missing summary={loaded.value.byDay} />
          <Limits key={machine} machine={machine} />
          <CostPlot breakdowns={Object.values(loaded.value.byDay.breakdowns ?? {})} />
          <div class="cost-tools">
            <div class="segments" role="group" aria-label="Group by">
              {GROUPS.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-pressed={group === name}
                  onClick={() => setParams({ by: name === "agent" ? "" : name })}
                >
                  {name}
                </button>
              ))}
            </div>
            <button type="button" class="small" onClick={() => save(group, loaded.value!.byGroup)}>
              <Icon name="download" size={14} /> CSV
            </button>
          </div>
          <CostTable
            group={group}
            rows={rowsOf(loaded.value.byGroup, group)}
            onExplain={(key) => (explained.value = key)}
          />
        </div>
      )}
      {explained.value === null ? null : (
        <CostExplain
          group={group}
          value={explained.value}
          since={since}
          machine={machine}
          onClose={() => (explained.value = null)}
        />
      )}
    </article>
  );
}

function rowsOf({ breakdowns = {} }: CostSummary, group: GroupName): CostBreakdown[] {
  const rows = Object.values(breakdowns);
  return group === "day" ? rows.sort((a, b) => (a.key < b.key ? 1 : -1)) : rows.sort((a, b) => b.totalUsd - a.totalUsd);
}

function save(group: GroupName, summary: CostSummary): void {
  download(`amux-cost-by-${group}.csv`, csvOf(group, rowsOf(summary, group)));
}

function Totals({ summary }: { summary: CostSummary }): JSX.Element {
  const { totalUsd, requestCount, sessionCount, kinds, inputTokens, cachedTokens, cacheWriteTokens, outputTokens } =
    summary;
  const isIncomplete = kinds.unpriced.requests + kinds.unknown.requests + kinds["lower-bound"].requests > 0;
  return (
    <section class="totals" aria-label="Total">
      <div class="total">
        <strong>
          {isIncomplete ? "≥ " : ""}
          {money(totalUsd)}
        </strong>
        <span class="muted">
          {plural(requestCount, "request")} in {plural(sessionCount, "session")}
        </span>
      </div>
      <dl class="figures">
        <Figure label="Input" value={inputTokens} />
        <Figure label="Cache reads" value={cachedTokens} />
        <Figure label="Cache writes" value={cacheWriteTokens} />
        <Figure label="Output" value={outputTokens} />
      </dl>
      <CostKinds summary={summary} />
    </section>
  );
}

function Figure({ label, value }: { label: string; value: number }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd title={value.toLocaleString()}>{compact(value)}</dd>
    </div>
  );
}
