import { createClient } from "../../index.ts";
import { withoutControls } from "../../lib/text.ts";
import type { SessionHit } from "../../sessions/search/hit.ts";
import type { Command } from "../command.ts";
import { AGENT_OPTION, commonFilters, DATE_OPTIONS, MODEL_OPTION, TAG_OPTION } from "../filters.ts";
import { age } from "../format/figures.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "sessions search",
  summary: "Search in all conversations",
  description: "Finds sessions in which all the words occur: in messages, thinking, tool calls or the title.",
  arguments: [{ name: "query", description: 'words, and "phrases" in double quotes' }],
  options: [
    AGENT_OPTION,
    ...DATE_OPTIONS,
    MODEL_OPTION,
    TAG_OPTION,
    { name: "limit", value: "n", description: "at most this many sessions (default 50)" },
    { name: "sort", value: "field", description: "order (default relevance)", choices: ["relevance", "date", "cost"] },
  ],
  examples: [
    ["amux sessions search 'retry policy'", "sessions that hold both words"],
    [
      `amux sessions search '"ECONNRESET at"' --agent claude --since 30d`,
      "an exact phrase, in one agent, of the last month",
    ],
  ],
  async run(invocation) {
    const { output } = invocation;
    const limit = invocation.count("limit");
    const agent = invocation.text("agent");
    const hits = await createClient().sessions.search({
      text: invocation.arguments[0]!,
      ...commonFilters(invocation),
      ...(agent !== undefined ? { agent } : {}),
      ...(limit !== undefined ? { limit } : {}),
      sort: (invocation.text("sort") ?? "relevance") as "relevance" | "date" | "cost",
    });
    if (output.json) return output.writeJson(hits);
    if (hits.length === 0) output.note("No session matches.");
    else await output.page(hits.flatMap((hit) => hitLines(hit, output)).map((line) => `${line}\n`));
  },
};

export default command;

function hitLines(hit: SessionHit, output: Output): string[] {
  const head = `${output.style("cyan", hit.unifiedId)}  ${output.style("bold", withoutControls(hit.title))}  ${output.style("dim", age(hit.updatedAt))}`;
  return [
    head,
    ...hit.matches.map(
      (match) =>
        `    ${output.style("dim", `#${match.messageIndex} ${match.role}`)}  ${withoutControls(match.snippet)}`,
    ),
    "",
  ];
}
