import { AgentRegistry } from "../../agents/registry.ts";
import { optional } from "../../lib/values/optional.ts";
import { knownFacts } from "../../history/export/json.ts";
import type { CacheMode } from "../../history/cache/session-cache.ts";
import { DEFAULT_LIMIT } from "../../history/list.ts";
import { LIST_SORTS, type ListSort } from "../../history/list-order.ts";
import { SessionManager } from "../../history/manager.ts";
import { queryClient, ARCHIVE_OPTIONS, type QueryClient } from "../archive-options.ts";
import type { Command, Invocation } from "../command.ts";
import { failedSessions } from "../failed-sessions.ts";
import {
  AGENT_OPTION,
  agentOf,
  commonFilters,
  DATE_OPTIONS,
  indexMode,
  LIST_FILTER_OPTIONS,
  listFilters,
  MODEL_OPTION,
  NO_INDEX_OPTION,
  noteSkipped,
  TAG_OPTION,
} from "../filters.ts";
import { firstRows, withOneMore } from "../format/first-rows.ts";
import { columnsOf, reversed, SESSION_COLUMNS, sessionTable } from "../format/session-table.ts";
import { localSessions } from "../local-sessions.ts";
import { PEERS_OPTION } from "../peers/peers-option.ts";

const command: Command = {
  name: "sessions list",
  description: "Lists the sessions of all agents on this machine, newest first.",
  arguments: [{ name: "agent", description: "only this agent's sessions", optional: true, completes: "agents" }],
  options: [
    { ...AGENT_OPTION, description: "the agent, in place of the argument" },
    ...DATE_OPTIONS,
    { ...MODEL_OPTION, description: "only models with this in their id" },
    TAG_OPTION,
    ...LIST_FILTER_OPTIONS,
    { name: "limit", value: "n", description: "at most this many (default 100)" },
    { name: "sort", value: "field", description: "order (default date)", choices: LIST_SORTS },
    { name: "reverse", description: "reverse the order" },
    {
      name: "columns",
      value: "names",
      description: "columns to show, separated by commas",
      choices: SESSION_COLUMNS,
      list: true,
    },
    { name: "counts", description: "exact counts and cost for every row, even for large files" },
    { name: "no-counts", description: "titles and dates only" },
    NO_INDEX_OPTION,
    ...ARCHIVE_OPTIONS,
    PEERS_OPTION,
  ],
  examples: [
    ["amux sessions list", "the newest 100 sessions of all agents"],
    ["amux sessions list claude --since 7d --sort cost", "last week's Claude Code sessions, most expensive first"],
    ["amux sessions list --peers --since 1d", "today's sessions of all linked machines"],
    ["amux sessions list --cwd . --json", "sessions in this directory and below it, for a script"],
    ["amux sessions list --file routes.js --branch main", "sessions that touched a file, on one branch"],
    ["amux sessions list --failed --since 7d", "what went wrong last week"],
    ["amux sessions list --sort duration --columns date,duration,title", "the longest sessions"],
    ["amux sessions list --model opus --sort tokens", "sessions with any Opus model, most tokens first"],
  ],
  async run(invocation) {
    if (invocation.flag("peers")) return (await import("../peers/fleet-list.ts")).listFleet(invocation);
    const { output } = invocation;
    const client = await queryClient(invocation, localSessions());
    const { sessions } = client;
    const limit = invocation.count("limit");
    const { model: modelPart, ...filters } = commonFilters(invocation);
    const options = {
      ...filters,
      ...optional("modelPart", modelPart),
      ...listFilters(invocation),
      ...indexMode(invocation),
      ...(output.json ? optional("limit", limit) : { limit: withOneMore(limit ?? DEFAULT_LIMIT) }),
      sort: (invocation.text("sort") ?? "date") as ListSort,
      ...optional("sortDirection", reversed(invocation)),
      ...(invocation.flag("counts") ? { counts: true } : invocation.flag("no-counts") ? { counts: false } : {}),
    };
    const agent = agentOf(invocation);
    const columns = columnsOf(invocation, agent);
    const file = invocation.text("file");
    const only = file === undefined ? undefined : await touching(client, file, options.index);
    const failed = invocation.flag("failed")
      ? await failedSessions(client, agent, { ...options, ...optional("only", only) })
      : undefined;
    let skipped = 0;
    let ids: readonly string[] = [];
    const asked = {
      ...options,
      ...optional("only", failed?.found ?? only),
      onSkipped: (files: number): void => void (skipped = files),
      onIds: (all: readonly string[]): void => void (ids = all),
    };
    const found = await (agent === undefined ? sessions.listAll(asked) : sessions.list(agent, asked));
    noteSkipped(output, skipped + (failed?.unread ?? 0));
    if (output.json) return output.writeJson(found.map(knownFacts));
    const { rows, note } = firstRows(found, limit ?? DEFAULT_LIMIT);
    if (rows.length === 0) {
      output.note(nothingFound(agent, invocation));
      return undefined;
    }
    if (!output.isTerminal) ids = [];
    else if (agent !== undefined) ids = await allIds(client);
    await output.page(sessionTable(rows, output, { columns, ids }).map((line) => `${line}\n`));
    if (note !== undefined) output.note(note);
    return undefined;
  },
};

export default command;

/** Ids of all agents: a printed prefix must be unique, whichever rows are shown. Archive ids are shown in full. */
async function allIds({ sessions }: QueryClient): Promise<string[]> {
  if (!(sessions instanceof SessionManager)) return [];
  const ids = await Promise.all(new AgentRegistry().names().map((agent) => sessions.matching(agent, "")));
  return ids.flat();
}

/** Sessions in which a tool was given the file, by the end of its path. */
async function touching({ sessions }: QueryClient, file: string, index: CacheMode): Promise<ReadonlySet<string>> {
  const text = `file:"${file.replaceAll('"', " ")}"`;
  const limit = Number.POSITIVE_INFINITY;
  const hits = await sessions.search({ text, limit, index, matches: false, counts: false, foldCopies: false });
  return new Set(hits.map(({ unifiedId }) => unifiedId));
}

const FILTERS = ["since", "until", "model", "tag", "cwd", "branch", "title", "file", "starred", "failed", "owner"];

function isGiven(invocation: Invocation, name: string): boolean {
  return invocation.flag(name) || invocation.text(name) !== undefined || invocation.texts(name).length > 0;
}

function nothingFound(agent: string | undefined, invocation: Invocation): string {
  const filters = FILTERS.filter((name) => isGiven(invocation, name));
  const whose = agent === undefined ? "" : ` for ${agent}`;
  if (filters.length === 0 && isGiven(invocation, "archive"))
    return `No sessions found${whose} that this archive shows you. See amux archive status.`;
  if (filters.length === 0) return `No sessions found${whose}. amux doctor shows where they are looked for.`;
  return `No sessions${whose} match ${filters.map((name) => `--${name}`).join(", ")}.`;
}
