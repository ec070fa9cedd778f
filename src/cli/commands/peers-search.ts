import { DaemonApi } from "../../client/daemon-api.ts";
import { oneLine } from "../../lib/text.ts";
import type { Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { AGENT_OPTION } from "../filters.ts";
import { age } from "../format/figures.ts";
import { marked } from "../format/marked.ts";
import { noteMissing, placeName } from "../format/machines.ts";

const INCOMPLETE = 3;

const command: Command = {
  name: "peers search",
  summary: "Search the conversations of all machines",
  description:
    "The query is that of amux sessions search. A session that several machines hold is listed once. Machines that do not answer are named, and the exit code is 3.",
  arguments: [{ name: "query", description: "what to look for, in quotes for the shell" }],
  options: [AGENT_OPTION, { name: "limit", value: "n", description: "at most this many sessions (default 50)" }],
  examples: [["amux peers search 'retry policy'", "wherever it was talked about"]],
  async run(invocation) {
    const { output } = invocation;
    await ensureDaemon();
    const limit = invocation.count("limit");
    const agent = invocation.text("agent");
    const found = await new DaemonApi(daemonClient()).fleetSearch(invocation.arguments[0]!, {
      ...(agent === undefined ? {} : { agent }),
      ...(limit === undefined ? {} : { limit }),
    });
    if (output.json) await output.writeJson(found);
    else {
      const lines = found.hits.flatMap((hit) => [
        `${output.style("cyan", oneLine(hit.unifiedId))}  ${output.style("bold", oneLine(hit.title))}  ${output.style("dim", `${hit.machines.map(placeName).join(", ")}  ${age(new Date(hit.updatedAt))}`)}\n`,
        ...hit.matches
          .slice(0, 3)
          .map(({ snippet, marks }) => `    ${marked(snippet, marks, (text) => output.style("yellow", text))}\n`),
      ]);
      if (lines.length === 0) output.note("No session matches.");
      else await output.page(lines);
    }
    noteMissing(output, found.machines);
    return found.partial ? INCOMPLETE : 0;
  },
};

export default command;
