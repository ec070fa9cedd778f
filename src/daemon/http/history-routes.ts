/** Routes for past sessions, through the same session manager as the command line. */
import * as z from "zod/mini";
import { LIST_SORTS } from "../../history/list-order.ts";
import { optional } from "../../lib/values/optional.ts";
import { isTimeZone } from "../../lib/values/time-zone.ts";
import { Facets, Overview, PricedModel, SearchProgress } from "../../protocol/history-api.ts";
import { FleetCost, FleetExplanation, FleetHistory, FleetHits } from "../../protocol/fleet.ts";
import { COST_GROUPS } from "../../history/cost/grouping.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../history/export/export.ts";
import type { FileService } from "../files/file-service.ts";
import type { HistoryRequest } from "../files/history-request.ts";
import type { Fleet } from "../peers/fleet.ts";
import { Problem } from "../problem.ts";
import { Count, Flag, Moment, referenceOf, streamed, streamedEnvelope, Words } from "./answers.ts";
import { route, type Route } from "./route.ts";

const Word = z.string().check(z.maxLength(4096));
const Zone = z
  .string()
  .check(z.maxLength(4096), z.refine(isTimeZone, "is not a time zone; names are like Europe/Berlin or UTC"));

const FILTERS = {
  agent: z.optional(Word),
  since: z.optional(Moment),
  until: z.optional(Moment),
  model: z.optional(Word),
  tags: z.optional(Words),
};

const CostQuery = z.object({
  ...FILTERS,
  group_by: z.optional(Words),
  time_zone: z.optional(Zone),
  session: z.optional(Word),
  explain: z.optional(Flag),
});

const CSV = "text/csv; charset=utf-8";

const DAY_MS = 86_400_000;
/** A year, as the page shows it. */
const DEFAULT_DAYS = 366;
const MAX_DAYS = 3660;

const Summary = z.looseObject({ agent: z.string(), sessionId: z.string(), unifiedId: z.string(), title: z.string() });

const CONTENT_TYPES: Record<ExportFormat, string> = {
  json: "application/json",
  jsonl: "application/x-ndjson",
  markdown: "text/markdown; charset=utf-8",
  // As text: a page made from a conversation must not run under our origin.
  html: "text/plain; charset=utf-8",
};

const ListQuery = z.object({
  ...FILTERS,
  cwd: z.optional(Word),
  under: z.optional(Word),
  branch: z.optional(Word),
  title: z.optional(Word),
  model_part: z.optional(Word),
  starred: z.optional(Flag),
  limit: z.optional(Count),
  sort: z.optional(z.enum(LIST_SORTS)),
  direction: z.optional(z.enum(["asc", "desc"])),
  counts: z.optional(Flag),
});

const SearchQuery = z.object({
  q: Word,
  ...FILTERS,
  limit: z.optional(Count),
  sort: z.optional(z.enum(["relevance", "date", "cost"])),
  counts: z.optional(Flag),
});

export function historyRoutes(
  files: Pick<FileService, "read">,
  fleet: Pick<Fleet, "history" | "search" | "cost">,
): Route[] {
  return [...fleetRoutes(fleet), ...ownRoutes(files)];
}

function fleetRoutes(fleet: Pick<Fleet, "history" | "search" | "cost">): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/fleet/history",
      summary: "Past sessions of this machine and of all its peers",
      query: ListQuery,
      answer: FleetHistory,
      run: ({ query, request, signal }) => fleet.history(listRequest(query), new URL(request.url).search, signal),
    }),
    route({
      method: "GET",
      path: "/v1/fleet/search",
      summary: "Searches the conversations of this machine and of all its peers",
      query: SearchQuery,
      answer: FleetHits,
      run: ({ query: { q, ...options }, request, signal }) =>
        fleet.search({ text: q, ...defined(options) }, new URL(request.url).search, signal),
    }),
    route({
      method: "GET",
      path: "/v1/fleet/cost",
      summary: "What the sessions of this machine and of all its peers cost, each request once",
      query: CostQuery,
      answer: z.union([FleetCost, FleetExplanation]),
      run: ({ query: { group_by = [], time_zone, session, explain = false, ...filters }, request, signal }) => {
        const only = session === undefined ? {} : referenceOf(session);
        const how = { groupBy: group_by.map(groupOf), ...optional("timeZone", time_zone), explains: explain };
        return streamedEnvelope(fleet.cost({ ...defined(filters), ...only }, new URL(request.url).search, how, signal));
      },
    }),
  ];
}

function listRequest({
  agent,
  direction,
  model_part,
  ...options
}: z.infer<typeof ListQuery>): Extract<HistoryRequest, { kind: "list" }> {
  return {
    kind: "list",
    ...optional("agent", agent),
    options: defined({ ...options, modelPart: model_part, sortDirection: direction }),
  };
}

function ownRoutes(files: Pick<FileService, "read">): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/history",
      perMachine: true,
      summary: "Past sessions, of one agent or of all",
      query: ListQuery,
      answer: z.array(Summary),
      run: ({ query, signal }) => streamedEnvelope(files.read(listRequest(query), signal)),
    }),
    route({
      method: "GET",
      path: "/v1/history/search",
      perMachine: true,
      summary: "Searches all conversations",
      query: SearchQuery,
      answer: z.array(Summary),
      run: ({ query: { q, ...options }, signal }) =>
        streamedEnvelope(files.read({ kind: "search", query: { text: q, ...defined(options) } }, signal)),
    }),
    route({
      method: "GET",
      path: "/v1/history/progress",
      perMachine: true,
      summary: "How many sessions the running search has read of those the index lacks; 0 of 0 if it reads none",
      answer: SearchProgress,
      run: ({ signal }) => streamedEnvelope(files.read({ kind: "progress" }, signal)),
    }),
    route({
      method: "GET",
      path: "/v1/history/facets",
      perMachine: true,
      summary: "Counts of a search's sessions by agent, project, model and day; without a query, of all sessions",
      query: z.object({ q: z.optional(Word), ...FILTERS }),
      answer: Facets,
      run: ({ query: { q = "", ...options }, signal }) =>
        streamedEnvelope(files.read({ kind: "facets", query: { text: q, ...defined(options) } }, signal)),
    }),
    route({
      method: "GET",
      path: "/v1/overview",
      perMachine: true,
      summary: "Activity per day, and changes since a time (default: a day ago)",
      query: z.object({ since: z.optional(Moment), days: z.optional(Count), time_zone: z.optional(Zone) }),
      answer: Overview,
      run: ({ query: { since, days = DEFAULT_DAYS, time_zone }, signal }) => {
        const options = {
          since: since ?? new Date(Date.now() - DAY_MS),
          days: Math.min(days, MAX_DAYS),
          ...optional("timeZone", time_zone),
        };
        return streamedEnvelope(files.read({ kind: "overview", options }, signal));
      },
    }),
    route({
      method: "GET",
      path: "/v1/models",
      perMachine: true,
      summary: "Models with their prices in dollars per million tokens, the user's own included",
      answer: z.array(PricedModel),
      run: ({ signal }) => streamedEnvelope(files.read({ kind: "models" }, signal)),
    }),
    route({
      method: "GET",
      path: "/v1/history/diff",
      perMachine: true,
      summary: "Compares two sessions message by message",
      query: z.object({ a: Word, b: Word }),
      answer: z.looseObject({ operations: z.array(z.unknown()) }),
      run: ({ query, signal }) =>
        streamedEnvelope(files.read({ kind: "diff", a: referenceOf(query.a), b: referenceOf(query.b) }, signal)),
    }),
    route({
      method: "GET",
      path: "/v1/history/{unifiedId}",
      perMachine: true,
      summary: "One session with its messages, or exported in a format",
      query: z.object({
        from: z.optional(Count),
        limit: z.optional(Count),
        subagents: z.optional(Flag),
        format: z.optional(z.enum(EXPORT_FORMATS)),
      }),
      answer: z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) }),
      otherTypes: Object.values(CONTENT_TYPES),
      run: ({ params, query: { from = 0, limit: most, subagents = true, format }, signal }) => {
        const session = referenceOf(params["unifiedId"]!);
        if (format === undefined) {
          const limit = most ?? Number.MAX_SAFE_INTEGER;
          return streamedEnvelope(files.read({ kind: "transcript", session, from, limit, subagents }, signal));
        }
        return streamed(files.read({ kind: "export", session, format, ...optional("limit", most) }, signal), {
          contentType: CONTENT_TYPES[format],
        });
      },
    }),
    route({
      method: "POST",
      path: "/v1/history/{unifiedId}/restore",
      perMachine: true,
      summary: "Writes the files of a session back that only the vault has; answers how many",
      answer: z.object({ restored: z.int() }),
      run: ({ params, signal }) =>
        streamedEnvelope(files.read({ kind: "restore", session: referenceOf(params["unifiedId"]!) }, signal)),
    }),
    route({
      method: "GET",
      path: "/v1/cost",
      perMachine: true,
      summary: "Show what sessions cost",
      query: CostQuery,
      answer: z.looseObject({}),
      run: ({ query, signal }) => streamedEnvelope(files.read(costRequest(query), signal)),
    }),
    route({
      method: "GET",
      path: "/v1/cost.csv",
      perMachine: true,
      summary: "The same as comma-separated values, for spreadsheets",
      query: CostQuery,
      answer: { contentType: CSV },
      run: async ({ query, signal }) => {
        const request = { ...costRequest(query), csv: true };
        const answer = await streamed(files.read(request, signal), { contentType: CSV });
        answer.headers.set("content-disposition", 'attachment; filename="amux-cost.csv"');
        return answer;
      },
    }),
  ];
}

function costRequest({
  group_by,
  time_zone,
  session,
  explain,
  ...filters
}: z.infer<typeof CostQuery>): Extract<HistoryRequest, { kind: "cost" }> {
  const groupBy = group_by?.map(groupOf);
  const only = session === undefined ? {} : referenceOf(session);
  const options = { ...defined({ ...filters, groupBy, timeZone: time_zone }), ...only };
  const isTitled = groupBy?.includes("session") === true;
  return { kind: "cost", options, explain: explain ?? session !== undefined, ...(isTitled && { titled: true }) };
}

function groupOf(word: string): (typeof COST_GROUPS)[number] {
  const group = COST_GROUPS.find((name) => name === word);
  if (group === undefined) throw new Problem("bad_request", `query.group_by: is one of ${COST_GROUPS.join(", ")}.`);
  return group;
}

/** Drops fields that were not given. */
function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}
