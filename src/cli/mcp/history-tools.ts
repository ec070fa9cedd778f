/** MCP tools for past sessions. All are read-only. */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionSummary } from "../../core/session.ts";
import { asNumber, asString, asText, type Json } from "../../lib/json/fields.ts";
import { truncate } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { parseDate } from "../dates.ts";
import { resolveReference } from "../session-reference.ts";
import { excerptOf } from "./read-session.ts";
import { fitting } from "./token-budget.ts";
import { MAX_TOKENS, number, schema, text, type Tool } from "./tool.ts";

const AGENT = { agent: text("only sessions of this agent") };
const SINCE = { since: text("2026-01-31, or 24h, 7d, 3mo ago, or today, yesterday, last week") };

const DEFAULT_LIMIT = 20;
const DEFAULT_TOKENS = 4000;
/** A list is looked through, then one of it is read. */
const LIST_TOKENS = 1500;
/** Of one session: a list must not be used up by its first entry. */
const MAX_MATCHES = 3;
const MAX_SNIPPET = 240;

export const HISTORY_TOOLS: readonly Tool[] = [
  {
    name: "search_sessions",
    description: 'Finds past sessions of all coding agents on this machine that contain words or a "phrase".',
    inputSchema: schema(
      {
        query: text("words, or a quoted phrase"),
        ...AGENT,
        ...SINCE,
        limit: number("at most this many sessions"),
        ...MAX_TOKENS,
      },
      ["query"],
    ),
    async call(args, { client, isAsking }) {
      const agent = asText(args["agent"]);
      // The library returns nothing for an unknown agent.
      if (agent !== undefined) await client.adapters.get(agent);
      const hits = await client.sessions.search({
        text: asString(args["query"]) ?? "",
        ...optional("agent", agent),
        ...since(args),
        limit: limitOf(args) + 1,
        counts: false,
      });
      const others = hits.filter(({ unifiedId }) => !isAsking(unifiedId)).slice(0, limitOf(args));
      return listed(
        others.map((hit) => ({
          ...brief(hit),
          matches: hit.matches
            .slice(0, MAX_MATCHES)
            .map(({ messageIndex, snippet }) => ({ messageIndex, snippet: truncate(snippet, MAX_SNIPPET) })),
        })),
        args,
      );
    },
  },
  {
    name: "list_sessions",
    description: "Lists past sessions of all coding agents on this machine, newest first.",
    inputSchema: schema({
      ...AGENT,
      ...SINCE,
      cwd: text("only sessions of this directory"),
      limit: number("at most this many sessions"),
      ...MAX_TOKENS,
    }),
    async call(args, { client, isAsking }) {
      const options = {
        ...since(args),
        ...optional("cwd", asText(args["cwd"])),
        limit: limitOf(args) + 1,
        counts: false,
      };
      const agent = asText(args["agent"]);
      const rows = await (agent === undefined
        ? client.sessions.listAll(options)
        : client.sessions.list(agent, options));
      const others = rows.filter(({ unifiedId }) => !isAsking(unifiedId)).slice(0, limitOf(args));
      return listed(others.map(brief), args);
    },
  },
  {
    name: "read_session",
    description: "Reads a session message by message, as much as fits into max_tokens; `next` is where to continue.",
    inputSchema: schema(
      {
        session: text("<agent>:<id>, as returned by the other tools"),
        from: number("number of the first message"),
        ...MAX_TOKENS,
      },
      ["session"],
    ),
    async call(args, { client, isAsking }) {
      const { agent, sessionId } = await resolveReference(client, [asString(args["session"]) ?? ""]);
      if (isAsking(`${agent}:${sessionId}`)) {
        throw new AgentMuxError("VALIDATION_ERROR", "This is the calling session.");
      }
      const view = await client.sessions.open(agent, sessionId);
      const excerpt = excerptOf(
        view.messages(),
        asNumber(args["from"]) ?? 0,
        asNumber(args["max_tokens"]) ?? DEFAULT_TOKENS,
      );
      return { ...brief(view.summary), ...excerpt };
    },
  },
  {
    name: "cost",
    description: "What sessions cost in dollars, in all and by agent, model or day.",
    inputSchema: schema({
      ...AGENT,
      ...SINCE,
      group_by: { type: "string", enum: ["agent", "model", "day"] },
      ...MAX_TOKENS,
    }),
    async call(args, { client }) {
      const { totalUsd, sessionCount, requestCount, breakdowns } = await client.sessions.totalCost({
        ...optional("agent", asText(args["agent"])),
        ...since(args),
        groupBy: (asText(args["group_by"]) ?? "agent") as "agent" | "model" | "day",
      });
      const groups = Object.values(breakdowns ?? {}).map(({ key, totalUsd: usd, requestCount: requests, kind }) => ({
        key,
        // What is unknown is not zero.
        ...(usd === 0 && kind === "unknown" ? {} : { usd }),
        requests,
      }));
      const { shown, ...rest } = fitting(groups, asNumber(args["max_tokens"]) ?? LIST_TOKENS);
      return { totalUsd, sessionCount, requestCount, groups: shown, ...rest };
    },
  },
];

function brief({ unifiedId, title, updatedAt, model, cwd, tags }: SessionSummary): Json {
  return { session: unifiedId, title, updatedAt, model, cwd, ...(tags.length > 0 ? { tags } : {}) };
}

/** `omitted` sessions did not fit: a larger max_tokens, or a narrower question, shows them. */
function listed(sessions: readonly Json[], args: Json): Json {
  const { shown, ...rest } = fitting(sessions, asNumber(args["max_tokens"]) ?? LIST_TOKENS);
  return { sessions: shown, ...rest };
}

function since(args: Json): { since?: Date } {
  const given = asText(args["since"]);
  return given === undefined ? {} : { since: parseDate(given, "since") };
}

function limitOf(args: Json): number {
  return Math.max(1, asNumber(args["limit"]) ?? DEFAULT_LIMIT);
}
