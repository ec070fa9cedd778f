/** Search requests and facet counts. Each keystroke starts a new search, and the newest one wins. */
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import type { HistoryHit } from "../../client/daemon-api.ts";
import type { FleetMachine } from "../../protocol/fleet.ts";
import type { Facets, SearchProgress } from "../../protocol/history-api.ts";
import { api } from "../state/api.ts";
import { peers } from "../state/projection.ts";
import { messageOf } from "../ui/notices.ts";
import { filtersOf, queryOf, summed, type Chosen } from "./facets.tsx";

const WAIT_MS = 120;
/** Most searches are shorter; longer ones read sessions that the index lacks. */
const PROGRESS_EVERY_MS = 700;
export const LIMIT = 100;

/** A hit and the machines that have it; `""` is this machine. */
export type Hit = HistoryHit & { machines: readonly string[] };

export const hits = signal<readonly Hit[]>([]);
/** Facet counts over all matches, filtered by date only. */
export const counts = signal<Pick<Facets, "agents" | "projects" | "models"> | null>(null);
export const state = signal<"idle" | "busy" | "done" | "failed">("idle");
/** The number of matches, filtered by date only; undefined if unknown. */
export const total = signal<number | undefined>(undefined);
/** Machines that did not answer. */
export const silent = signal<readonly FleetMachine[]>([]);
export const problem = signal("");
/** How far a long search is; null if it reads nothing. */
export const progress = signal<SearchProgress | null>(null);
/** What the hits are for. */
let answered = "";

export function useSearch(query: string, chosen: Chosen): void {
  const text = query.trim();
  const machines = peers.value.map(({ name }) => name).join(" ");
  const isFleet = machines !== "";
  const question = [text, ...Object.values(chosen)].join("\n");
  // While a question is changed, the hits of the one before stay; a new one does not begin with those of another.
  useLayoutEffect(() => {
    if (question !== answered) hits.value = [];
  }, [text === ""]);
  useLatest([question, isFleet], async (leaving) => {
    state.value = text === "" ? "idle" : "busy";
    if (text === "") return;
    const timer = setInterval(() => void lookAtProgress(leaving), PROGRESS_EVERY_MS);
    try {
      hits.value = await found(text, chosen, isFleet, leaving);
      answered = question;
      state.value = "done";
    } catch (error) {
      if (leaving.aborted) return;
      problem.value = messageOf(error).split("\n", 1)[0]!;
      state.value = "failed";
    } finally {
      clearInterval(timer);
      progress.value = null;
    }
  });
  useLatest([text, chosen.since, machines], async (leaving) => {
    total.value = undefined;
    if (text === "") {
      counts.value = null;
      return;
    }
    const filters = chosen.since === "" ? {} : { since: chosen.since };
    const told: Facets[] = [];
    // Results are shown as they arrive, so that a slow machine does not delay the others.
    const asked = [undefined, ...peers.peek().map(({ name }) => name)].map(async (peer) => {
      told.push(await api.facets(text, filters, leaving, peer));
      if (!leaving.aborted) counts.value = summed(told);
    });
    await Promise.allSettled(asked);
    if (leaving.aborted) return;
    // The search itself reports errors and unreachable machines.
    if (told.length === 0) counts.value = null;
    else total.value = summed(told).total;
  });
}

async function lookAtProgress(leaving: AbortSignal): Promise<void> {
  // The search itself reports errors.
  const news = await api.searchProgress().catch(() => undefined);
  if (!leaving.aborted && state.value === "busy") progress.value = news === undefined || news.total === 0 ? null : news;
}

async function found(text: string, chosen: Chosen, isFleet: boolean, leaving: AbortSignal): Promise<Hit[]> {
  const question = queryOf(text, chosen);
  // Counts are not shown here and would delay the hits.
  const options = { limit: LIMIT, counts: false, ...filtersOf(chosen) };
  silent.value = [];
  if (!isFleet) return (await api.search(question, options, leaving)).map((hit) => ({ ...hit, machines: [""] }));
  const { hits: all, machines } = await api.fleetSearch(question, options, leaving);
  silent.value = machines.filter(({ error }) => error !== undefined);
  return all;
}

/** Debounced; a new search cancels the one before. */
function useLatest(causes: readonly unknown[], ask: (leaving: AbortSignal) => Promise<void>): void {
  useEffect(() => {
    const leaving = new AbortController();
    const timer = setTimeout(() => void ask(leaving.signal), WAIT_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, causes);
}
