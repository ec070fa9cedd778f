/** Search filters: agent, project, model and date. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { HistoryFilters } from "../../client/daemon-api.ts";
import type { Facet, Facets as Counts } from "../../protocol/history-api.ts";
import { agentLabel } from "../state/agents.ts";
import { param } from "../state/route.ts";
import { baseName } from "../ui/figures.ts";
import { dayOf } from "../ui/times.ts";

const DAY_MS = 86_400_000;
const SHOWN = 8;

type Kind = "agent" | "project" | "model";

export interface Chosen {
  agent: string;
  project: string;
  model: string;
  /** A date, or empty. */
  since: string;
}

export function isChosen({ agent, project, model, since }: Chosen): boolean {
  return [agent, project, model, since].some((value) => value !== "");
}

/** The filters as request parameters; the directory is part of the search query. */
export function filtersOf({ agent, model, since }: Chosen): HistoryFilters {
  return {
    ...(agent === "" ? {} : { agent }),
    ...(model === "" ? {} : { model }),
    ...(since === "" ? {} : { since }),
  };
}

export function queryOf(query: string, { project }: Chosen): string {
  return project === "" ? query : `${query} cwd:"${project.replaceAll('"', " ")}"`;
}

/** The filters as stored in the address. */
export function chosenInAddress(): Chosen {
  return { agent: param("agent"), project: param("project"), model: param("model"), since: param("since") };
}

/** Adds the counts of several machines. A session on two machines counts twice. */
export function summed(counts: readonly Counts[]): Counts {
  const sum = (facetsOf: (of: Counts) => readonly Facet[]): Facet[] => {
    const sums = new Map<string, number>();
    for (const { key, count } of counts.flatMap(facetsOf)) sums.set(key, (sums.get(key) ?? 0) + count);
    return [...sums].map(([key, count]) => ({ key, count })).sort((a, b) => b.count - a.count);
  };
  return {
    total: counts.reduce((all, { total }) => all + total, 0),
    agents: sum(({ agents }) => agents),
    projects: sum(({ projects }) => projects),
    models: sum(({ models }) => models),
    days: sum(({ days }) => days),
  };
}

const TITLES: Record<Kind, string> = { agent: "Agent", project: "Project", model: "Model" };

export interface FacetsProps {
  counts: Pick<Counts, "agents" | "projects" | "models">;
  chosen: Chosen;
  onChange(chosen: Chosen): void;
}

export function Facets({ counts, chosen, onChange }: FacetsProps): JSX.Element {
  const whole = useSignal<readonly Kind[]>([]);
  const of: Record<Kind, readonly Facet[]> = { agent: counts.agents, project: counts.projects, model: counts.models };
  const dates: [string, string][] = [
    ["", "Any"],
    [daysAgo(1), "Last 24 hours"],
    [daysAgo(7), "Last 7 days"],
    [daysAgo(30), "Last 30 days"],
  ];
  return (
    <aside class="facets" aria-label="Narrow the search">
      {(Object.keys(TITLES) as Kind[]).map((kind) =>
        of[kind].length < 2 && chosen[kind] === "" ? null : (
          <fieldset key={kind}>
            <legend>{TITLES[kind]}</legend>
            {(whole.value.includes(kind) ? of[kind] : shownOf(of[kind], chosen[kind])).map(({ key, count }) => (
              <button
                key={key}
                type="button"
                class="facet"
                title={key}
                aria-pressed={chosen[kind] === key}
                onClick={() => onChange({ ...chosen, [kind]: chosen[kind] === key ? "" : key })}
              >
                <span>{kind === "project" ? baseName(key) : kind === "agent" ? agentLabel(key) : key}</span>
                <span class="count">{count}</span>
              </button>
            ))}
            {of[kind].length > SHOWN && !whole.value.includes(kind) ? (
              <button type="button" class="facet muted" onClick={() => (whole.value = [...whole.value, kind])}>
                {of[kind].length - SHOWN} more
              </button>
            ) : null}
          </fieldset>
        ),
      )}
      <fieldset>
        <legend>Time</legend>
        {dates.map(([since, label]) => (
          <button
            key={label}
            type="button"
            class="facet"
            aria-pressed={chosen.since === since}
            onClick={() => onChange({ ...chosen, since })}
          >
            {label}
          </button>
        ))}
      </fieldset>
    </aside>
  );
}

/** The most frequent values, and always the selected one. */
function shownOf(all: readonly Facet[], chosen: string): Facet[] {
  const most = all.slice(0, SHOWN);
  if (chosen === "" || most.some(({ key }) => key === chosen)) return most;
  return [...most, all.find(({ key }) => key === chosen) ?? { key: chosen, count: 0 }];
}

function daysAgo(days: number): string {
  return dayOf(new Date(Date.now() - days * DAY_MS));
}
