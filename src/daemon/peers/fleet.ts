/** Queries all machines and merges their answers, each with its origin; missing machines are named. */
import { listOrder } from "../../history/list-order.ts";
import type * as z from "zod/mini";
import { optional } from "../../lib/values/optional.ts";
import { FleetHit, FleetSession, type FleetMachine } from "../../protocol/fleet.ts";
import type { FileService } from "../files/file-service.ts";
import type { HistoryRequest } from "../files/history-request.ts";
import { Problem } from "../problem.ts";
import { checkedAll } from "./ask-peer.ts";
import type { LedgerQuestion } from "./ledger-messages.ts";
import { LedgerThread } from "./ledger-thread.ts";
import type { Peers } from "./peers.ts";
import { reasonOf } from "./unreachable-reason.ts";

/** A machine without an index reads everything. */
const LIST_WITHIN_MS = 60_000;
const SEARCH_WITHIN_MS = 60_000;
const COST_WITHIN_MS = 120_000;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const MAX_COST_BYTES = 256 * 1024 * 1024;
const DEFAULT_LIST = 100;
const DEFAULT_HITS = 50;

export interface FleetParts {
  files: Pick<FileService, "read">;
  peers: Pick<Peers, "askAll" | "names" | "read">;
}

type Told<Value> = FleetMachine & { answer?: Value };

type Asked<Kind extends HistoryRequest["kind"]> = Extract<HistoryRequest, { kind: Kind }>;

export class Fleet {
  readonly #parts: FleetParts;

  constructor(parts: FleetParts) {
    this.#parts = parts;
  }

  /** `search` is the original query string, sent to the peers. */
  async history(asked: Asked<"list">, search: string, signal: AbortSignal): Promise<unknown> {
    const request = { path: `/v1/history${search}`, withinMs: LIST_WITHIN_MS, maxBytes: MAX_LIST_BYTES };
    const told = await this.#ask(asked, request, FleetSession, signal);
    const { limit = DEFAULT_LIST, sort, sortDirection } = asked.options;
    const order = listOrder(sort, sortDirection);
    return { ...outcome(told), sessions: merged(told, newer, order).slice(0, limit) };
  }

  async search(query: Asked<"search">["query"], search: string, signal: AbortSignal): Promise<unknown> {
    const request = { path: `/v1/history/search${search}`, withinMs: SEARCH_WITHIN_MS, maxBytes: MAX_LIST_BYTES };
    const told = await this.#ask({ kind: "search", query }, request, FleetHit, signal);
    const order = SEARCH_ORDERS[query.sort ?? "relevance"];
    // The longer copy is the newer one.
    const hits = merged(told, (a, b) => scoreOf(a) > scoreOf(b), order);
    const best = Math.max(0, ...hits.map(scoreOf));
    return {
      ...outcome(told),
      hits: hits
        .slice(0, query.limit ?? DEFAULT_HITS)
        .map((hit) => ({ ...hit, relevanceScore: best > 0 ? scoreOf(hit) / best : 1 })),
    };
  }

  /** The report as JSON in chunks, merged in a separate thread. */
  async *cost(
    filters: Asked<"cost">["options"],
    search: string,
    how: Omit<LedgerQuestion, "machines">,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const query = new URLSearchParams(search);
    query.delete("time_zone");
    query.set("group_by", "session,tag");
    query.set("explain", "1");
    const request = { path: `/v1/cost?${query.toString()}`, withinMs: COST_WITHIN_MS, maxBytes: MAX_COST_BYTES };
    const own: Asked<"cost"> = { kind: "cost", options: { ...filters, groupBy: ["session", "tag"] }, explain: true };
    const { names } = this.#parts.peers;
    const ledgers = new LedgerThread({ ...how, machines: ["", ...names] });
    try {
      const given = await Promise.all([
        gives(ledgers, 0, () => ledgers.take(0, enveloped(this.#parts.files.read(own, signal)))),
        ...names.map((name, index) =>
          gives(ledgers, index + 1, () =>
            this.#parts.peers.read(name, request, signal, (pieces) => ledgers.take(index + 1, pieces)),
          ),
        ),
      ]);
      if (given.every((has) => !has)) {
        throw new Problem("not_found", "No machine that answered has this session.");
      }
      yield* ledgers.answer();
    } finally {
      await ledgers.close();
    }
  }

  async #ask<Value>(
    own: HistoryRequest,
    request: { path: string; withinMs: number; maxBytes: number },
    schema: z.ZodMiniType<Value>,
    signal: AbortSignal,
  ): Promise<Told<Value[]>[]> {
    const [here, there] = await Promise.all([
      this.#own(own, schema, signal),
      this.#parts.peers.askAll(request, schema, signal),
    ]);
    return [here, ...there];
  }

  async #own<Value>(
    request: HistoryRequest,
    schema: z.ZodMiniType<Value>,
    signal: AbortSignal,
  ): Promise<Told<Value[]>> {
    let text = "";
    for await (const piece of this.#parts.files.read(request, signal)) text += piece;
    return { machine: "", answer: await checkedAll(JSON.parse(text), schema) };
  }
}

/** Reads one machine's answer. A silent machine is named; one without the session is not missing. */
async function gives(ledgers: LedgerThread, machine: number, take: () => Promise<void>): Promise<boolean> {
  try {
    await take();
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "not_found" || code === "SESSION_NOT_FOUND") return false;
    if (machine === 0) throw error;
    await ledgers.missing(machine, reasonOf(error));
    return true;
  }
}

/** In the format of other machines' answers. */
async function* enveloped(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield '{"ok":true,"data":';
  yield* pieces;
  yield "}";
}

const SEARCH_ORDERS: Readonly<Record<"relevance" | "date" | "cost", (a: FleetHit, b: FleetHit) => number>> = {
  relevance: (a, b) => scoreOf(b) - scoreOf(a),
  date: listOrder("date"),
  cost: listOrder("cost"),
};

function scoreOf({ score = 0 }: FleetHit): number {
  return score;
}

function newer(a: FleetSession, b: FleetSession): boolean {
  return Date.parse(a.updatedAt) > Date.parse(b.updatedAt);
}

function outcome(told: readonly FleetMachine[]): { machines: FleetMachine[]; partial: boolean } {
  const machines = told.map(({ machine, error }) => ({ machine, ...optional("error", error) }));
  return { machines, partial: machines.some(({ error }) => error !== undefined) };
}

/** In one order over all machines; a session held by several appears once, in its better copy. */
function merged<Found extends FleetSession>(
  told: readonly Told<Found[]>[],
  isBetter: (a: Found, b: Found) => boolean,
  order: (a: Found, b: Found) => number,
): (Found & { machines: string[] })[] {
  const sessions = new Map<string, { found: Found; machines: string[] }>();
  for (const { machine, answer = [] } of told) {
    for (const found of answer) {
      const known = sessions.get(found.unifiedId);
      if (known === undefined) sessions.set(found.unifiedId, { found, machines: [machine] });
      else {
        known.machines.push(machine);
        if (isBetter(found, known.found)) known.found = found;
      }
    }
  }
  return [...sessions.values()]
    .map(({ found, machines }) => ({ ...found, machines }))
    .sort((a, b) => order(a, b) || newerFirst(a, b));
}

function newerFirst(a: FleetSession, b: FleetSession): number {
  return Date.parse(b.updatedAt) - Date.parse(a.updatedAt) || (a.unifiedId < b.unifiedId ? -1 : 1);
}
