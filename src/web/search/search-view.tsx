/** Searches all history as one types. */
import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { HistoryHit } from "../../client/daemon-api.ts";
import { api } from "../state/api.ts";
import { rename, route, searchPath, transcriptPath } from "../state/route.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { baseName, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { Marked } from "../ui/marked.tsx";
import { messageOf } from "../ui/notices.ts";
import { age, fullTime } from "../ui/times.ts";
import { Facets, facetsOf, filtersOf, isChosen, matches, NO_FACETS, queryOf, type Chosen } from "./facets.tsx";

const WAIT_MS = 120;
const LIMIT = 100;

const hits = signal<readonly HistoryHit[]>([]);
/** Those of a choice that the best of all may not hold. */
const narrowed = signal<readonly HistoryHit[] | null>(null);
const state = signal<"idle" | "busy" | "done" | "failed">("idle");
const problem = signal("");

export function SearchView(): JSX.Element {
  const query = route.value.view === "search" ? route.value.query : "";
  const chosen = useSignal<Chosen>(NO_FACETS);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current!.focus(), []);
  useSearch(query, chosen.value);
  const facets = facetsOf(hits.value);
  const shown = (narrowed.value ?? hits.value).filter((hit) => matches(hit, chosen.value));
  return (
    <article class="search">
      <header class="search-head">
        <h1 class="unseen">Search</h1>
        <a class="icon-button only-phone" href="/sessions" aria-label="All sessions">
          <Icon name="back" />
        </a>
        <input
          ref={field}
          id="search"
          class="field large"
          type="search"
          placeholder="Search every conversation of every agent"
          aria-label="Search"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => rename(searchPath(event.currentTarget.value))}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            document.querySelector<HTMLElement>(".hit-main")?.focus();
          }}
        />
        <p class="muted small-text" role="status">
          {statusOf(query, shown.length)}
        </p>
      </header>
      <div class="search-body">
        {hits.value.length > 0 || chosen.value.since !== "" ? (
          <Facets facets={facets} chosen={chosen.value} onChange={(next) => (chosen.value = next)} />
        ) : null}
        <ol class="hits" onKeyDown={moveAmongHits}>
          {shown.map((hit) =>
            hit.memory === true ? <Note key={hit.unifiedId} hit={hit} /> : <Hit key={hit.unifiedId} hit={hit} />,
          )}
        </ol>
      </div>
      {query === "" ? <SearchHelp /> : null}
    </article>
  );
}

/** The newest question wins; older ones are given up. */
function useSearch(query: string, chosen: Chosen): void {
  const { since } = chosen;
  const isEmpty = query.trim() === "";
  useEffect(() => {
    if (!isEmpty) return;
    hits.value = [];
    state.value = "idle";
  }, [isEmpty]);
  useAsking([query, since], !isEmpty, async (signal) => {
    const options = { limit: LIMIT, ...(since === "" ? {} : { since }) };
    hits.value = await api.search(query, options, signal);
  });
  // Where there are more than are shown, what is chosen is asked for by itself.
  const isNarrowed = hits.value.length === LIMIT && isChosen(chosen);
  useAsking([query, chosen, isNarrowed], isNarrowed, async (signal) => {
    narrowed.value = await api.search(queryOf(query, chosen), { limit: LIMIT, ...filtersOf(chosen) }, signal);
  });
}

function useAsking(causes: readonly unknown[], isAsked: boolean, ask: (signal: AbortSignal) => Promise<void>): void {
  useEffect(() => {
    narrowed.value = null;
    if (!isAsked) return;
    const leaving = new AbortController();
    state.value = "busy";
    const timer = setTimeout(() => {
      ask(leaving.signal).then(
        () => (state.value = "done"),
        (error: unknown) => {
          if (leaving.signal.aborted) return;
          problem.value = messageOf(error).split("\n", 1)[0]!;
          state.value = "failed";
        },
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, causes);
}

function statusOf(query: string, count: number): string {
  if (query.trim() === "") return "";
  if (state.value === "busy") return "Searching …";
  if (state.value === "failed") return problem.value;
  return count === LIMIT ? `the best ${LIMIT} sessions` : plural(count, "session");
}

function Hit({ hit }: { hit: HistoryHit }): JSX.Element {
  const { unifiedId, title, titleMarks, agent, cwd, updatedAt, model, matches: places, copies } = hit;
  return (
    <li class="hit">
      <a class="hit-main" href={transcriptPath(unifiedId, places[0]?.messageIndex)}>
        <span class="hit-title">
          <Marked text={title} marks={titleMarks} />
        </span>
        <span class="view-line">
          <AgentBadge agent={agent} />
          {cwd === undefined ? null : <span class="fact">{baseName(cwd)}</span>}
          {model === undefined ? null : <span class="fact wide-only">{model}</span>}
          <span class="fact" title={fullTime(updatedAt)}>
            {age(updatedAt)}
          </span>
          {copies > 0 ? <span class="badge">{plural(copies, "copy", "copies")}</span> : null}
        </span>
      </a>
      <ul class="places">
        {places.map((place, index) => (
          <li key={index}>
            <a href={transcriptPath(unifiedId, place.messageIndex)}>
              <span class="muted">
                #{place.messageIndex + 1} {place.tool ?? place.role}
              </span>{" "}
              <Marked text={place.snippet} marks={place.marks} />
            </a>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** What an agent keeps outside of conversations: it has no time, and nothing to open. */
function Note({ hit: { title, agent, matches: places } }: { hit: HistoryHit }): JSX.Element {
  return (
    <li class="hit">
      <span class="hit-title">{title}</span>
      <span class="view-line">
        <AgentBadge agent={agent} />
      </span>
      <ul class="places">
        {places.map((place, index) => (
          <li key={index}>
            <Marked text={place.snippet} marks={place.marks} />
          </li>
        ))}
      </ul>
    </li>
  );
}

function moveAmongHits(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [...document.querySelectorAll<HTMLElement>(".hit-main")];
  const at = all.findIndex((hit) => hit === document.activeElement);
  if (at + step < 0) document.querySelector<HTMLElement>("#search")?.focus();
  else all[Math.min(at + step, all.length - 1)]?.focus();
}

const EXAMPLES: readonly [string, string][] = [
  ["retry policy", "both words, anywhere in a session"],
  ['"retry policy"', "next to each other"],
  ["retr*", "words that begin so"],
  ["timeout -docker", "without a word"],
  ["file:package.json role:user", "what people asked about a file"],
  ["tool:bash after:7d error", "in commands of the last week"],
];

function SearchHelp(): JSX.Element {
  return (
    <dl class="help">
      {EXAMPLES.map(([example, meaning]) => (
        <div key={example}>
          <dt>
            <a href={searchPath(example)}>
              <code>{example}</code>
            </a>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
