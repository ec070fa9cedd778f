/** One question to all machines: answers put together, each with where it is from, and what is missing named. */
import * as z from "zod/mini";
import type { FileService } from "../files/file-service.ts";
import type { HistoryRequest } from "../files/history-request.ts";
import { FleetHit, FleetRequest, type FleetCost, type FleetMachine } from "../../protocol/fleet.ts";
import type { Peers } from "./peers.ts";

/** A machine that has no index yet reads all it has. */
const SEARCH_WITHIN_MS = 60_000;
const COST_WITHIN_MS = 120_000;
const MAX_HITS_BYTES = 16 * 1024 * 1024;
const MAX_COST_BYTES = 256 * 1024 * 1024;
const DEFAULT_LIMIT = 50;

export interface FleetParts {
  files: Pick<FileService, "read">;
  peers: Pick<Peers, "askAll">;
}

type Told<Value> = FleetMachine & { answer?: Value };

export class Fleet {
  readonly #parts: FleetParts;

  constructor(parts: FleetParts) {
    this.#parts = parts;
  }

  async search(
    query: Extract<HistoryRequest, { kind: "search" }>["query"],
    search: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    const hits = z.array(FleetHit);
    const path = `/v1/history/search${search}`;
    const told = await this.#ask(
      { kind: "search", query },
      { path, withinMs: SEARCH_WITHIN_MS },
      MAX_HITS_BYTES,
      hits,
      signal,
    );
    return { ...outcome(told), hits: merged(told, query.limit ?? DEFAULT_LIMIT) };
  }

  async cost(
    options: Extract<HistoryRequest, { kind: "cost" }>["options"],
    search: string,
    signal: AbortSignal,
  ): Promise<FleetCost> {
    const requests = z.object({ requests: z.array(FleetRequest) });
    const path = `/v1/cost${search === "" ? "?" : `${search}&`}explain=1`;
    const wanted = { path, withinMs: COST_WITHIN_MS };
    const told = await this.#ask({ kind: "cost", options, explain: true }, wanted, MAX_COST_BYTES, requests, signal);
    return sum(told);
  }

  async #ask<Value>(
    own: HistoryRequest,
    request: { path: string; withinMs: number },
    maxBytes: number,
    schema: z.ZodMiniType<Value>,
    signal: AbortSignal,
  ): Promise<Told<Value>[]> {
    const [here, there] = await Promise.all([
      this.#own(own, schema, signal),
      this.#parts.peers.askAll({ ...request, maxBytes }, schema, signal),
    ]);
    return [here, ...there];
  }

  async #own<Value>(request: HistoryRequest, schema: z.ZodMiniType<Value>, signal: AbortSignal): Promise<Told<Value>> {
    let text = "";
    for await (const piece of this.#parts.files.read(request, signal)) text += piece;
    return { machine: "", answer: schema.parse(JSON.parse(text)) };
  }
}

function outcome(told: readonly FleetMachine[]): { machines: FleetMachine[]; partial: boolean } {
  const machines = told.map(({ machine, error }) => ({ machine, ...(error === undefined ? {} : { error }) }));
  return { machines, partial: machines.some(({ error }) => error !== undefined) };
}

/** The best first, over all machines; a session that several hold once, with all of them. */
function merged(told: readonly Told<FleetHit[]>[], limit: number): object[] {
  const sessions = new Map<string, { hit: FleetHit; machines: string[] }>();
  for (const { machine, answer = [] } of told) {
    for (const hit of answer) {
      const known = sessions.get(hit.unifiedId);
      if (known === undefined) sessions.set(hit.unifiedId, { hit, machines: [machine] });
      else {
        known.machines.push(machine);
        // The longer copy is the later one.
        if ((hit.score ?? 0) > (known.hit.score ?? 0)) known.hit = hit;
      }
    }
  }
  const ranked = [...sessions.values()].sort((a, b) => (b.hit.score ?? 0) - (a.hit.score ?? 0)).slice(0, limit);
  const best = ranked[0]?.hit.score ?? 0;
  return ranked.map(({ hit, machines }) => ({
    ...hit,
    relevanceScore: best > 0 ? (hit.score ?? 0) / best : 1,
    machines,
  }));
}

class Sum {
  nanoUsd = 0;
  input = 0;
  output = 0;
  requests = 0;
  readonly sessions = new Set<string>();

  add({ usd, inputTokens, outputTokens, session }: FleetRequest): void {
    this.nanoUsd += Math.round(usd * 1e9);
    this.input += inputTokens;
    this.output += outputTokens;
    this.requests += 1;
    this.sessions.add(session);
  }

  figures(): Omit<FleetCost, "partial" | "machines"> {
    return {
      totalUsd: this.nanoUsd / 1e9,
      inputTokens: this.input,
      outputTokens: this.output,
      requestCount: this.requests,
      sessionCount: this.sessions.size,
    };
  }
}

function sum(told: readonly Told<{ requests: FleetRequest[] }>[]): FleetCost {
  const seen = new Set<string>();
  const total = new Sum();
  const machines = told.map(({ machine, error, answer }) => {
    const own = new Sum();
    let duplicates = 0;
    for (const request of answer?.requests ?? []) {
      const key = `${request.agent}\0${request.key}`;
      if (seen.has(key)) {
        duplicates += 1;
        continue;
      }
      seen.add(key);
      own.add(request);
      total.add(request);
    }
    return { machine, ...(error === undefined ? {} : { error }), ...own.figures(), duplicates };
  });
  return { ...total.figures(), partial: machines.some(({ error }) => error !== undefined), machines };
}
