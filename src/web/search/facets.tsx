/** Narrowing a search by agent, project, model and date. */
import type { JSX } from "preact";
import type { HistoryFilters, HistoryHit } from "../../client/daemon-api.ts";
import type { Facet, Facets as Counts } from "../../protocol/daemon-api.ts";
import { baseName } from "../ui/figures.ts";
import { dayOf } from "../ui/times.ts";

const DAY_MS = 86_400_000;
const SHOWN = 8;

type Kind = "agent" | "project" | "model";

export interface Chosen {
  agent: string;
  project: string;
  model: string;
  /** A day, or nothing. */
  since: string;
}

export const NO_FACETS: Chosen = { agent: "", project: "", model: "", since: "" };

export function isChosen({ agent, project, model, since }: Chosen): boolean {
  return [agent, project, model, since].some((value) => value !== "");
}

/** The choice as the daemon takes it; in a search a folder is part of the question. */
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

/** Counted among hits, where nobody can count them all: those of several machines. */
export function countsOf(hits: readonly HistoryHit[]): Pick<Counts, "agents" | "projects" | "models"> {
  const count = (valueOf: (hit: HistoryHit) => string | undefined): Facet[] => {
    const counts = new Map<string, number>();
    for (const hit of hits) {
      const value = valueOf(hit);
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].map(([key, found]) => ({ key, count: found })).sort((a, b) => b.count - a.count);
  };
  return {
    agents: count(({ agent }) => agent),
    projects: count(({ cwd }) => cwd),
    models: count(({ model }) => model),
  };
}

const TITLES: Record<Kind, string> = { agent: "Agent", project: "Project", model: "Model" };

export interface FacetsProps {
  counts: Pick<Counts, "agents" | "projects" | "models">;
  chosen: Chosen;
  onChange(chosen: Chosen): void;
}

export function Facets({ counts, chosen, onChange }: FacetsProps): JSX.Element {
  const of: Record<Kind, readonly Facet[]> = { agent: counts.agents, project: counts.projects, model: counts.models };
  const dates: [string, string][] = [
    ["", "any time"],
    [daysAgo(1), "a day"],
    [daysAgo(7), "a week"],
    [daysAgo(30), "a month"],
  ];
  return (
    <aside class="facets" aria-label="Narrow the search">
      {(Object.keys(TITLES) as Kind[]).map((kind) =>
        of[kind].length < 2 && chosen[kind] === "" ? null : (
          <fieldset key={kind}>
            <legend>{TITLES[kind]}</legend>
            {shownOf(of[kind], chosen[kind]).map(({ key, count }) => (
              <button
                key={key}
                type="button"
                class="facet"
                title={key}
                aria-pressed={chosen[kind] === key}
                onClick={() => onChange({ ...chosen, [kind]: chosen[kind] === key ? "" : key })}
              >
                <span>{kind === "project" ? baseName(key) : key}</span>
                <span class="count">{count}</span>
              </button>
            ))}
          </fieldset>
        ),
      )}
      <fieldset>
        <legend>Not older than</legend>
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

/** The most frequent, and the chosen one whatever its place. */
function shownOf(all: readonly Facet[], chosen: string): Facet[] {
  const most = all.slice(0, SHOWN);
  if (chosen === "" || most.some(({ key }) => key === chosen)) return most;
  return [...most, all.find(({ key }) => key === chosen) ?? { key: chosen, count: 0 }];
}

function daysAgo(days: number): string {
  return dayOf(new Date(Date.now() - days * DAY_MS));
}
