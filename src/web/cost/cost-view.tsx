/** The cost view: over time, and by agent, model, project, session or period. Its state is in the address. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CostSummary } from "../../core/cost.ts";
import { compact, money, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { param, setParams } from "../state/route.ts";
import { messageOf } from "../ui/notices.ts";
import { dayOf } from "../ui/times.ts";
import { costOn, EVERYWHERE, HERE, MachineChoice, Missing } from "./machine-choice.tsx";
import { CostChart } from "./cost-chart.tsx";
import { CostExplain, type Span } from "./cost-explain.tsx";
import { CostKinds } from "./cost-kinds.tsx";
import { CostTable, sortedRows } from "./cost-table.tsx";
import { csvOf, download } from "./csv.ts";
import { Limits, useLimits } from "./limits.tsx";
import { periodName, periodsOf, rangeOf } from "./periods.ts";

const DAY_MS = 86_400_000;
const SPANS: readonly [days: number, label: string, word: string][] = [
  [7, "7 days", "7d"],
  [30, "30 days", ""],
  [90, "90 days", "90d"],
  [0, "All", "all"],
];
const GROUPS = ["agent", "model", "project", "session", "day", "week", "month"] as const;
type GroupName = (typeof GROUPS)[number];

export function CostView(): JSX.Element {
  const days = SPANS.find(([, , word]) => word === param("time"))?.[0] ?? 30;
  const group = GROUPS.find((name) => name === param("by")) ?? "agent";
  const [chosen, sort] = [param("at"), param("sort")];
  const hidden = new Set(param("hide").split(",").filter(Boolean));
  const byDay = useSignal<CostSummary | null>(null);
  const problem = useSignal("");
  const explained = useSignal<string | null>(null);
  const machine = param("machine") || HERE;
  const limits = useLimits(machine);
  const since = days === 0 ? undefined : dayOf(new Date(Date.now() - (days - 1) * DAY_MS));
  useEffect(() => {
    const leaving = new AbortController();
    costOn(machine, { since: momentOf(since), group_by: "day,agent" }, leaving.signal).then(
      (summary) => {
        byDay.value = summary;
        problem.value = "";
      },
      (error: unknown) => {
        if (!leaving.signal.aborted) problem.value = messageOf(error);
      },
    );
    return () => leaving.abort();
  }, [since, machine]);
  const [unit, periods] = periodsOf(Object.values(byDay.value?.breakdowns ?? {}), since, dayOf(new Date()));
  const range = chosen === "" ? undefined : rangeOf(chosen, unit);
  const span: Span =
    range === undefined
      ? { since: momentOf(since) }
      : { since: range.from.toISOString(), until: new Date(range.to.getTime() - 1).toISOString() };
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
            <button
              key={label}
              type="button"
              aria-pressed={days === value}
              onClick={() => setParams({ time: word, at: "" })}
            >
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
      {(byDay.value === null || limits === undefined) && problem.value === "" ? (
        <p class="empty">Loading cost …</p>
      ) : null}
      {byDay.value === null || limits === undefined ? null : (
        <div class="scroll">
          <Totals summary={byDay.value} />
          <Missing summary={byDay.value} />
          <Limits machine={machine} machines={limits} />
          {periods.length === 0 ? null : (
            <CostChart
              key={`${unit} ${periods.length}`}
              unit={unit}
              periods={periods}
              chosen={chosen}
              hidden={hidden}
              onChoose={(key) => setParams(key === chosen ? { at: "" } : { at: key, by: "session", sort: "" })}
              onToggle={(agent) => setParams({ hide: toggled(hidden, agent) })}
            />
          )}
          <div class="cost-tools">
            <div class="segments" role="group" aria-label="Group by">
              {GROUPS.map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-pressed={group === name}
                  onClick={() => setParams({ by: name === "agent" ? "" : name, sort: "" })}
                >
                  {name}
                </button>
              ))}
            </div>
            {range === undefined ? null : (
              <button type="button" class="small" onClick={() => setParams({ at: "" })}>
                <Icon name="close" size={14} /> only {periodName(chosen, unit)}
              </button>
            )}
          </div>
          <CostGroups
            key={`${machine} ${group} ${span.since} ${span.until}`}
            {...{ machine, group, sort, span }}
            onExplain={(key) => (explained.value = key)}
          />
        </div>
      )}
      {explained.value === null ? null : (
        <CostExplain
          group={group}
          value={explained.value}
          span={span}
          machine={machine}
          onClose={() => (explained.value = null)}
        />
      )}
    </article>
  );
}

/** Its first moment here: a mere date would be one in UTC. */
function momentOf(day: string | undefined): string | undefined {
  return day === undefined ? undefined : rangeOf(day, "day")?.from.toISOString();
}

function toggled(hidden: ReadonlySet<string>, agent: string): string {
  const next = new Set(hidden);
  if (!next.delete(agent)) next.add(agent);
  return [...next].join(",");
}

interface CostGroupsProps {
  machine: string;
  group: GroupName;
  sort: string;
  span: Span;
  onExplain(key: string): void;
}

/** The table of one grouping. Needs what it is loaded for as its key. */
function CostGroups({ machine, group, sort, span, onExplain }: CostGroupsProps): JSX.Element {
  const loaded = useSignal<CostSummary | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    const leaving = new AbortController();
    costOn(machine, { ...span, group_by: group }, leaving.signal).then(
      (summary) => (loaded.value = summary),
      (error: unknown) => {
        if (!leaving.signal.aborted) problem.value = messageOf(error);
      },
    );
    return () => leaving.abort();
  }, []);
  if (problem.value !== "")
    return (
      <p class="bad" role="alert">
        {problem.value}
      </p>
    );
  if (loaded.value === null) return <p class="empty">Loading cost …</p>;
  const rows = sortedRows(Object.values(loaded.value.breakdowns ?? {}), group, sort);
  if (rows.length === 0) return <p class="empty">No cost in this time.</p>;
  const peer = machine === HERE || machine === EVERYWHERE ? undefined : machine;
  return (
    <>
      <CostTable group={group} sort={sort} rows={rows} peer={peer} onExplain={onExplain} />
      <button type="button" class="small" onClick={() => download(`amux-cost-by-${group}.csv`, csvOf(group, rows))}>
        <Icon name="download" size={14} /> CSV
      </button>
    </>
  );
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
