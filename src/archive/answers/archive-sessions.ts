/**
 * Answers about an archive's sessions through the session manager. The database selects the sessions that matter; they are loaded
 * and queried like local ones, so the same query has one answer.
 */
import { resolve } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import type { CostExplanation, CostSummary } from "../../core/cost.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentName, SessionSummary } from "../../core/session.ts";
import { splitUnifiedId } from "../../core/unified-id.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionManager } from "../../history/manager.ts";
import type {
  CostAggregationOptions,
  CostExplanationOptions,
  SessionListOptions,
  SessionQuery,
} from "../../history/options.ts";
import type { SessionHit } from "../../history/search/results.ts";
import { planOf } from "../../history/search/plan.ts";
import { parseQuery } from "../../history/search/query.ts";
import { isTagsOnly, taggedHits } from "../../history/tagged-hits.ts";
import { readLabels } from "../../history/session-labels.ts";
import type { SessionView } from "../../history/session-view.ts";
import type { ArchiveAddress } from "../address.ts";
import { connected, type Connection } from "../store/connection.ts";
import { requireSchema } from "../store/migrate.ts";
import { managerOf } from "./archived-agents.ts";
import { candidates } from "./candidates.ts";
import { runIndexOf } from "../../history/run-index.ts";
import { billedSessions } from "./billed-sessions.ts";
import { loadAllRuns, loadRuns, loadSessions, loadUnread, type LoadOptions, type SessionName } from "./load.ts";
import { keyOf, withRelatives } from "./relatives.ts";
import { addSettled, unsettled } from "./settled-cost.ts";
import { conditionsOf, labelledIds, Parameters, type SessionScope } from "./scope.ts";

/** The queries an archive supports. */
export type SessionQuestions = Pick<
  SessionManager,
  "list" | "listAll" | "open" | "matching" | "search" | "totalCost" | "explainCost" | "resolveNativeId"
>;

export interface ArchiveOptions {
  /** Only sessions of these owners; all visible ones by default. */
  owners?: readonly string[];
}

const NO_RUNS = runIndexOf([]);
const DEFAULT_LIST_LIMIT = 100;
const DEFAULT_SEARCH_LIMIT = 50;
/** Some database hits drop out after reading, so a few more are loaded at once. */
const SPARE = 10;

export class ArchiveSessions implements SessionQuestions {
  readonly #address: ArchiveAddress;
  readonly #env: AgentEnv;
  readonly #owners: readonly string[] | undefined;

  constructor(address: ArchiveAddress, env: AgentEnv, { owners }: ArchiveOptions = {}) {
    this.#address = address;
    this.#env = env;
    this.#owners = owners;
  }

  async list(agent: AgentName, options: SessionListOptions = {}): Promise<SessionSummary[]> {
    return this.#list(agent, options, (manager, asked) => manager.list(agent, asked));
  }

  async listAll(options: SessionListOptions = {}): Promise<SessionSummary[]> {
    return this.#list(undefined, options, (manager, asked) => manager.listAll(asked));
  }

  async #list(
    agent: AgentName | undefined,
    options: SessionListOptions,
    ask: (manager: SessionManager, options: SessionListOptions) => Promise<SessionSummary[]>,
  ): Promise<SessionSummary[]> {
    const limit = options.limit ?? DEFAULT_LIST_LIMIT;
    const scope: SessionScope = {
      ...optional("agent", agent),
      ...this.#filters(options),
      ...optional("cwd", options.cwd === undefined ? undefined : resolve(options.cwd)),
      ...optional("under", options.under === undefined ? undefined : resolve(options.under)),
      ...optional("branch", options.branch),
      ...optional("title", options.title),
      ...optional("modelPart", options.modelPart),
      ...optional("only", options.starred === true ? this.#starred(options.only) : options.only),
    };
    const asked: SessionListOptions = { ...options, index: "none" };
    return this.#asking(async (connection) =>
      deepening(
        limit,
        (count) => listed(connection, scope, options, count),
        async (names) => {
          // Titles and dates alone depend on no other session.
          const hasModel = options.model !== undefined || options.modelPart !== undefined;
          const isBare = options.counts === false && options.sort === undefined && !hasModel;
          const all = isBare ? names : await withRelatives(connection, names, { children: true });
          return ask(await this.#managerOf(connection, all, { usage: !isBare }), asked);
        },
      ),
    );
  }

  async open(agent: AgentName, sessionId: string): Promise<SessionView> {
    return this.#asking(async (connection) => {
      const names = await withRelatives(connection, [{ agent, sessionId }], { children: true });
      const own = { agent, sessionId };
      const options = { usage: true, owners: this.#owners };
      const { sessions, refused } = await loadSessions(connection, [own], { ...options, messages: true });
      if (sessions.length === 0) throw refused.size > 0 ? unreadable(agent, sessionId) : notFound(agent, sessionId);
      const others = names.filter((name) => keyOf(name) !== keyOf(own));
      const { sessions: rest } = await loadSessions(connection, others, options);
      const runs = await loadRuns(connection, names);
      return managerOf({ sessions: [...sessions, ...rest], runs }, this.#env).open(agent, sessionId, { index: "none" });
    });
  }

  async matching(agent: AgentName, prefix: string): Promise<string[]> {
    return this.#asking(async (connection) => {
      const rows = await connection.rows<{ session_id: string }>(
        `SELECT DISTINCT session_id FROM amux.sessions WHERE agent = $1 AND session_id >= $2 AND session_id < $3
         AND ($4::name[] IS NULL OR owner = ANY($4::name[])) ORDER BY session_id`,
        [agent, prefix, `${prefix}\u{10ffff}`, this.#owners ?? null],
      );
      return rows.map(({ session_id: id }) => id);
    });
  }

  async search(query: SessionQuery): Promise<SessionHit[]> {
    if (isTagsOnly(query)) return taggedHits(this, query);
    const parsed = parseQuery(query.text);
    if (parsed === undefined) return [];
    const plan = planOf(parsed);
    const limit = query.limit ?? DEFAULT_SEARCH_LIMIT;
    const byCost = query.sort === "cost";
    const isCounted = byCost || (query.counts ?? query.matches ?? true);
    const scope = { ...optional("agent", query.agent), ...this.#filters(query) };
    return this.#asking(async (connection) => {
      const ordered = await candidates(connection, plan, scope, query.sort === "date");
      const keys = new Set(ordered.map(keyOf));
      return deepening(
        byCost ? ordered.length : limit,
        async (count) => ordered.slice(0, count + SPARE),
        async (names) => {
          // Copies are only counted, but all of them; a session's cost also depends on its sub-agents.
          const family = await withRelatives(connection, names, { children: isCounted });
          const found = isCounted ? family : family.filter((name) => keys.has(keyOf(name)));
          const manager = await this.#managerOf(connection, found, { messages: true, usage: isCounted });
          return manager.search({ ...query, index: "none" });
        },
      );
    });
  }

  async totalCost(options: CostAggregationOptions = {}): Promise<CostSummary> {
    return this.#asking(async (connection) => {
      const { prices } = managerOf({ sessions: [], runs: NO_RUNS }, this.#env);
      const scope = { ...options, ...optional("owners", this.#owners) };
      // The database does not know the labels of this machine.
      const tagged = [...labelledIds(readLabels(this.#env), ({ tags }) => tags.length > 0)]
        .flatMap((id) => splitUnifiedId(id) ?? [])
        .filter(({ agent }) => options.agent === undefined || agent === options.agent)
        .map(({ agent, nativeSessionId: sessionId }) => ({ agent, sessionId }));
      const apart = [...(await unsettled(connection, prices, scope)), ...tagged];
      const names = await withRelatives(connection, apart, { children: false });
      const manager = await this.#billed(connection, options, names);
      return manager.totalCost({ ...options, index: "none" }, (report) =>
        addSettled(connection, report, prices, scope, names),
      );
    });
  }

  async explainCost(options: CostExplanationOptions = {}): Promise<CostExplanation> {
    const { agent, sessionId } = options;
    const asked: CostExplanationOptions = { ...options, index: "none" };
    return this.#asking(async (connection) => {
      if (agent === undefined || sessionId === undefined) {
        const names = await billedSessions(connection, { ...options, ...optional("owners", this.#owners) });
        return (await this.#billed(connection, options, names)).explainCost(asked);
      }
      const names = await withRelatives(connection, [{ agent, sessionId }], { children: true });
      return (await this.#managerOf(connection, names, { usage: true })).explainCost(asked);
    });
  }

  resolveNativeId(unifiedId: string): { agent: AgentName; nativeSessionId: string } | null {
    const parts = splitUnifiedId(unifiedId);
    return parts && new AgentRegistry().has(parts.agent) ? parts : null;
  }

  async #billed(
    connection: Connection,
    options: CostAggregationOptions,
    names: readonly SessionName[],
  ): Promise<SessionManager> {
    const { sessions, refused } = await loadSessions(connection, names, { usage: true, owners: this.#owners });
    const runs = await loadAllRuns(connection, names, options);
    const unread = await loadUnread(connection, refused);
    return managerOf({ sessions, runs, unread, ...optional("agent", options.agent) }, this.#env);
  }

  async #managerOf(
    connection: Connection,
    names: readonly SessionName[],
    options: LoadOptions,
  ): Promise<SessionManager> {
    const { sessions, refused } = await loadSessions(connection, names, { ...options, owners: this.#owners });
    const unread = await loadUnread(connection, refused);
    return managerOf({ sessions, runs: await loadRuns(connection, names), unread }, this.#env);
  }

  #starred(only: ReadonlySet<string> | undefined): ReadonlySet<string> {
    const starred = labelledIds(readLabels(this.#env), (label) => label.starred);
    return only === undefined ? starred : new Set([...starred].filter((id) => only.has(id)));
  }

  #filters({ since, until, model, tags }: SessionListOptions | SessionQuery): SessionScope {
    return {
      ...optional("since", since),
      ...optional("until", until),
      ...optional("model", model),
      ...optional("tags", tags),
      labels: readLabels(this.#env),
      ...optional("owners", this.#owners),
    };
  }

  async #asking<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return connected(this.#address, async (connection) => {
      await requireSchema(connection);
      return connection.snapshot(() => work(connection));
    });
  }
}

/** Queries the first few, then more while too few remain. */
async function deepening<T>(
  limit: number,
  choose: (count: number) => Promise<SessionName[]>,
  ask: (names: readonly SessionName[]) => Promise<T[]>,
): Promise<T[]> {
  for (let count = limit; ; count *= 4) {
    const names = await choose(count);
    const answer = await ask(names);
    if (answer.length >= limit || names.length < count) return answer;
  }
}

/** The first rows of a listing. Costs are known only when all are loaded. */
async function listed(
  connection: Connection,
  scope: SessionScope,
  { sort = "date", sortDirection = "desc" }: SessionListOptions,
  count: number,
): Promise<SessionName[]> {
  const parameters = new Parameters();
  const conditions = conditionsOf(scope, parameters);
  const column = sort === "turns" ? "s.turn_count" : "s.updated_ms";
  const isLimited = (sort === "date" || sort === "turns") && Number.isFinite(count);
  const rows = await connection.rows<{ agent: string; session_id: string }>(
    `SELECT s.agent, s.session_id FROM amux.sessions s WHERE ${conditions}
     ORDER BY ${column} ${sortDirection}, s.agent || ':' || s.session_id
     ${isLimited ? `LIMIT ${parameters.add(count)}` : ""}`,
    parameters.values,
  );
  return rows.map(({ agent, session_id: sessionId }) => ({ agent, sessionId }));
}

function unreadable(agent: string, sessionId: string): AgentMuxError {
  return new AgentMuxError(
    "PARSE_ERROR",
    `The rows of ${agent}:${sessionId} in the archive are invalid. Its owner can push it again.`,
  );
}

function notFound(agent: string, sessionId: string): AgentMuxError {
  return new AgentMuxError("SESSION_NOT_FOUND", `No ${agent} session in the archive has the id "${sessionId}".`);
}
