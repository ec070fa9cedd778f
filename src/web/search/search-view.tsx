/** Searches all sessions of this machine and its peers while typing. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionSummary } from "../../core/session.ts";
import { api } from "../state/api.ts";
import { route, searchPath, setParams, transcriptPath } from "../state/route.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { baseName, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { attempt } from "../ui/notices.ts";
import { RecentSession } from "../ui/recent-session.tsx";
import { Marked } from "../ui/marked.tsx";
import { age, fullTime } from "../ui/times.ts";
import { VaultBadge } from "../ui/vault-badge.tsx";
import { counts, hits, LIMIT, problem, progress, silent, state, total, useSearch, type Hit } from "./search-request.ts";
import { chosenInAddress, Facets, isChosen, type Chosen } from "./facets.tsx";

export function SearchView(): JSX.Element {
  const query = route.value.view === "search" ? route.value.query : "";
  const chosen = chosenInAddress();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current!.focus(), []);
  useSearch(query, chosen);
  const isAsked = query.trim() !== "";
  return (
    <article class="search">
      <header class="search-head">
        <h1 class="unseen">Search</h1>
        <a class="icon-button only-phone" href="/list" aria-label="All sessions">
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
          onInput={(event) => setParams({ q: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            document.querySelector<HTMLElement>(".hit-main")?.focus();
          }}
        />
        <p class="muted small-text" role="status">
          {statusOf(isAsked, chosen)}
        </p>
        {silent.value.map(({ machine, error }) => (
          <p key={machine} class="small-text bad" role="status">
            {machine} did not answer: {error}
          </p>
        ))}
      </header>
      <div class="search-body">
        {counts.value === null ? null : (
          <Facets counts={counts.value} chosen={chosen} onChange={(next) => setParams({ ...next })} />
        )}
        {isAsked && state.value === "done" && hits.value.length === 0 ? (
          <NoHits query={query} isNarrowed={isChosen(chosen)} />
        ) : isAsked ? (
          <ol class="hits" onKeyDown={moveAmongHits}>
            {hits.value.map((hit) => (
              <HitRow key={`${hit.unifiedId} ${hit.machines[0]}`} hit={hit} />
            ))}
          </ol>
        ) : (
          <SearchStart />
        )}
      </div>
    </article>
  );
}

function statusOf(isAsked: boolean, chosen: Chosen): string {
  if (!isAsked) return "";
  if (state.value === "busy") {
    const { done, total: all } = progress.value ?? {};
    if (done === undefined || all === undefined) return "Searching …";
    return `Searching … ${done.toLocaleString("en-US")} of ${plural(all, "new session")} read`;
  }
  if (state.value === "failed") return problem.value;
  const count = hits.value.length;
  if (count < LIMIT) return plural(count, "session");
  const all = isChosen({ ...chosen, since: "" }) ? undefined : total.value;
  return all === undefined ? `the best ${LIMIT} sessions` : `the best ${LIMIT} of ${plural(all, "session")}`;
}

function HitRow({ hit }: { hit: Hit }): JSX.Element {
  const { unifiedId, title, titleMarks, agent, cwd, updatedAt, model, matches: places, copies } = hit;
  // A session that is also on this machine is opened here.
  const peer = hit.machines.includes("") ? undefined : hit.machines[0];
  return (
    <li class="hit">
      <a class="hit-main" href={transcriptPath(unifiedId, places[0]?.messageIndex, peer)}>
        <span class="hit-title">
          <Marked text={title} marks={titleMarks} />
        </span>
        <span class="view-line">
          <AgentBadge agent={agent} />
          <VaultBadge isShown={hit.inVault === true} />
          {peer === undefined ? null : <span class="badge machine">{peer}</span>}
          {cwd === undefined ? null : <span class="fact">{baseName(cwd)}</span>}
          {model === undefined ? null : <span class="fact wide-only">{model}</span>}
          {hit.memory === true ? null : (
            <span class="fact" title={fullTime(updatedAt)}>
              {age(updatedAt)}
            </span>
          )}
          {copies > 0 ? (
            <span class="badge">{plural(copies, "fork with the same text", "forks with the same text")}</span>
          ) : null}
        </span>
      </a>
      <ul class="places">
        {places.map((place, index) => (
          <li key={index}>
            <a href={transcriptPath(unifiedId, place.messageIndex, peer)}>
              <span class="muted">
                #{place.messageIndex} {place.tool ?? place.role}
              </span>{" "}
              <Marked text={place.snippet} marks={place.marks} />
            </a>
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

/** As many as fit beside the examples. */
const RECENT = 8;

const EXAMPLES: readonly [string, string][] = [
  ["retry policy", "both words, anywhere in a session"],
  ['"retry policy"', "next to each other"],
  ["retr*", "words that start with retr"],
  ["timeout -docker", "without a word"],
  ["file:package.json role:user", "prompts that mention a file"],
  ["tool:bash after:7d error", "in commands of the last week"],
];

function NoHits({ query, isNarrowed }: { query: string; isNarrowed: boolean }): JSX.Element {
  const words = query.trim().split(/\s+/);
  const last = words.at(-1)!;
  return (
    <div class="no-hits">
      <p>No session matches “{query.trim()}”.</p>
      <ul>
        {isNarrowed ? (
          <li>
            <a href={searchPath(query)}>Search without the filters at the left</a>
          </li>
        ) : null}
        {words.length > 1 ? (
          <li>
            <a href={searchPath(words.join(" OR "))}>Any of these words</a>
          </li>
        ) : null}
        {/\w$/.test(last) ? (
          <li>
            <a href={searchPath(`${query.trim()}*`)}>Words that start with “{last}”</a>
          </li>
        ) : null}
        <li>
          <a href="/sessions">All sessions</a>
        </li>
      </ul>
    </div>
  );
}

/** What can be typed, and what one may be looking for. */
function SearchStart(): JSX.Element {
  const recent = useSignal<readonly Wire<SessionSummary>[] | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const load = async (): Promise<void> => {
      recent.value = await api.history({ limit: RECENT, counts: false }, undefined, leaving.signal);
    };
    void attempt(load);
    return () => leaving.abort();
  }, []);
  return (
    <div class="search-start">
      <section>
        <h2>Try</h2>
        <SearchHelp />
      </section>
      <section aria-label="Recent sessions">
        <h2>Recent sessions</h2>
        {recent.value === null ? <p class="muted">Reading …</p> : null}
        {recent.value?.length === 0 ? (
          <p class="muted">
            No agent has left a session here yet. <a href="/settings?check=1">See where amux looked</a>
          </p>
        ) : (
          <ul class="recent">
            {(recent.value ?? []).map((summary) => (
              <RecentSession key={summary.unifiedId} summary={summary} />
            ))}
          </ul>
        )}
        <p>
          <a href="/sessions">All sessions</a>
        </p>
      </section>
    </div>
  );
}

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
