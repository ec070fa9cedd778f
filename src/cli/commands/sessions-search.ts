import { knownFacts } from "../../history/export/json.ts";
import type { SessionQuery } from "../../history/options.ts";
import { FIELDS } from "../../history/search/query.ts";
import { stemmedQuery } from "../../history/search/typed-query.ts";
import { queryClient, ARCHIVE_OPTIONS, type QueryClient } from "../archive-options.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import {
  AGENT_OPTION,
  commonFilters,
  DATE_OPTIONS,
  indexMode,
  MODEL_OPTION,
  NO_INDEX_OPTION,
  noteSkipped,
  TAG_OPTION,
} from "../filters.ts";
import { counted } from "../format/figures.ts";
import { hitLines } from "../format/hit-lines.ts";
import { localSessions } from "../local-sessions.ts";
import type { Output } from "../output.ts";
import { PEERS_OPTION } from "../peers/peers-option.ts";
import { noteOfHits, SEARCH_OPTIONS, typedIn } from "../report-options.ts";

const SYNTAX = `Searches messages, thinking, tool calls and results of all agents.

Query:
  retry policy           both words, anywhere in the session
  "retry policy"         next to each other
  retr*                  words that start with retr; so does the last word, unless --exact is given
  -retry                 sessions without it; put a query that starts with - last, after --
  timeout OR deadline    one or the other; parentheses group
  getUserName, src/a.ts  identifiers and paths as a whole, or by their parts: user, a.ts
Fields, of the session:  agent: model: cwd: branch: title: before: after:
Fields, of a message:    role: tool: file:  apply to all words of their group
                         (role: is user, assistant, system or tool; dates as 2026-01-31 or 7d)
Short forms:             edited:routes.js  read:routes.js  tag:release
                         (tag: holds for the whole query: no NOT, - or OR, no parentheses around it)
Case and accents are ignored.`;

/** Reading these takes seconds; fewer are added after a few searches. */
const MANY = 500;

const command: Command = {
  name: "sessions search",
  description: SYNTAX,
  arguments: [{ name: "query", description: "what to look for, in quotes for the shell", mayBeginWithDash: true }],
  options: [
    AGENT_OPTION,
    ...DATE_OPTIONS,
    MODEL_OPTION,
    TAG_OPTION,
    ...SEARCH_OPTIONS,
    { name: "exact", description: "use the query as typed: whole words, no short forms" },
    { name: "all-copies", description: "list forks and resumed copies separately" },
    { name: "counts", description: "with --json: exact counts and cost of every session" },
    { name: "as-found", description: "print each session as soon as it is found, unordered" },
    NO_INDEX_OPTION,
    ...ARCHIVE_OPTIONS,
    PEERS_OPTION,
  ],
  examples: [
    ["amux sessions search 'retry policy'", "sessions with both words"],
    [
      `amux sessions search '"ECONNRESET at"' --agent claude --since 30d`,
      "an exact phrase in one agent's sessions of the last 30 days",
    ],
    ["amux sessions search 'retry policy' --peers", "on all linked machines, best match first"],
    ["amux sessions search 'flaky test' --json --counts | jq '.[].cost.totalUsd'", "for a script"],
    ["amux sessions search 'file:manager.ts role:user refactor*'", "what users asked about a file"],
    ["amux sessions search 'edited:routes.js'", "which sessions changed a file, and where"],
    ["amux sessions search 'tool:bash (ENOSPC OR \"no space\") -docker'", "a command that failed, but not in Docker"],
  ],
  async run(invocation) {
    const { output } = invocation;
    checkQuery(invocation);
    if (invocation.flag("peers")) return (await import("../peers/fleet-search.ts")).searchFleet(invocation);
    const local = localSessions();
    const { sessions } = await queryClient(invocation, local);
    // The library returns nothing for an unknown agent; a typo must be reported.
    const agent = invocation.text("agent");
    if (agent !== undefined) await local.adapters.get(agent);
    const query = queryOf(invocation);
    if (invocation.flag("as-found")) {
      if (sessions !== local.sessions) throw usageError("An archive answers at once; leave out --as-found.");
      for await (const hit of local.sessions.searchStream(query)) await output.write(hitLines(hit, output));
      return;
    }
    let skipped = 0;
    // Sessions are also read to count them, indexed or not.
    const isCounting = query.counts === true || query.sort === "cost";
    let unindexed = 0;
    const hits = await sessions.search({
      ...query,
      onSkipped: (files) => void (skipped = files),
      onProgress: (progress) => {
        if (progress.stage === "sessions" && !isCounting) unindexed = progress.total;
        query.onProgress(progress);
      },
    });
    noteSkipped(output, skipped);
    if (unindexed >= MANY && query.index === "fill") {
      output.note(`${counted(unindexed, "session")} are not indexed yet; searches are fast after amux index build.`);
    }
    if (output.json) return output.writeJson(hits.map(knownFacts));
    if (hits.length > 0) await output.page(hits.map((hit) => hitLines(hit, output)));
    const note = noteOfHits(hits.length, query.limit);
    if (note !== undefined) output.note(note);
    if (hits.length > 0) return;
    noteUnknownFields(query.text, output);
    if (!invocation.flag("exact")) await noteStems(sessions, query, output);
  },
};

export default command;

async function noteStems(sessions: QueryClient["sessions"], query: SessionQuery, output: Output): Promise<void> {
  const text = stemmedQuery(query.text);
  if (text === undefined) return;
  const { length } = await sessions.search({ ...query, text, matches: false, counts: false });
  if (length > 0) output.note(`${length} ${length === 1 ? "matches" : "match"} amux search '${text}'`);
}

/** `foo:bar` is searched as words, which surprises users who meant a field. */
function noteUnknownFields(text: string, output: Output): void {
  const unknown = [...text.matchAll(/(?<![\w"/])([a-z]{2,}):(?=[\w"])/gi)].map(([, name]) => name!.toLowerCase());
  const [name] = unknown.filter((field) => !(FIELDS as readonly string[]).includes(field));
  if (name !== undefined)
    output.note(`"${name}:" is not a field. Fields: ${FIELDS.map((field) => `${field}:`).join(" ")}`);
}

function checkQuery({ arguments: [text = ""] }: Invocation): void {
  if (text.trim() === "") throw usageError("Say what to look for. See amux sessions search --help.");
}

function queryOf(invocation: Invocation): SessionQuery & Pick<Required<SessionQuery>, "onProgress"> {
  const limit = invocation.count("limit");
  const agent = invocation.text("agent");
  return {
    ...commonFilters(invocation),
    ...typedIn(invocation),
    ...(agent !== undefined ? { agent } : {}),
    ...(limit !== undefined ? { limit } : {}),
    sort: (invocation.text("sort") ?? "relevance") as "relevance" | "date" | "cost",
    foldCopies: !invocation.flag("all-copies"),
    counts: invocation.flag("counts"),
    ...indexMode(invocation),
  };
}
