/** Narrowing a search by agent, project, model and date. */
import type { JSX } from "preact";
import type { HistoryFilters, HistoryHit } from "../../client/daemon-api.ts";
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

type Counts = Record<Kind, [value: string, count: number][]>;

export function facetsOf(hits: readonly HistoryHit[]): Counts {
  const count = (kind: Kind): [string, number][] => {
    const counts = new Map<string, number>();
    for (const hit of hits) {
      const value = valueOf(hit, kind);
      if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
  };
  return { agent: count("agent"), project: count("project"), model: count("model") };
}

export function matches(hit: HistoryHit, chosen: Chosen): boolean {
  return (["agent", "project", "model"] as const).every(
    (kind) => chosen[kind] === "" || valueOf(hit, kind) === chosen[kind],
  );
}

export function isChosen({ agent, project, model }: Chosen): boolean {
  return agent !== "" || project !== "" || model !== "";
}

/** The choice as the daemon takes it; a folder is part of the question. */
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

function valueOf({ agent, cwd, model }: HistoryHit, kind: Kind): string {
  if (kind === "agent") return agent;
  return kind === "model" ? (model ?? "") : (cwd ?? "");
}

const TITLES: Record<Kind, string> = { agent: "Agent", project: "Project", model: "Model" };

export interface FacetsProps {
  facets: Counts;
  chosen: Chosen;
  onChange(chosen: Chosen): void;
}

export function Facets({ facets, chosen, onChange }: FacetsProps): JSX.Element {
  const dates: [string, string][] = [
    ["", "any time"],
    [daysAgo(1), "a day"],
    [daysAgo(7), "a week"],
    [daysAgo(30), "a month"],
  ];
  return (
    <aside class="facets" aria-label="Narrow the search">
      {(Object.keys(TITLES) as Kind[]).map((kind) =>
        facets[kind].length < 2 && chosen[kind] === "" ? null : (
          <fieldset key={kind}>
            <legend>{TITLES[kind]}</legend>
            {facets[kind].map(([value, count]) => (
              <button
                key={value}
                type="button"
                class="facet"
                title={value}
                aria-pressed={chosen[kind] === value}
                onClick={() => onChange({ ...chosen, [kind]: chosen[kind] === value ? "" : value })}
              >
                <span>{kind === "project" ? baseName(value) : value}</span>
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

function daysAgo(days: number): string {
  return dayOf(new Date(Date.now() - days * DAY_MS));
}
