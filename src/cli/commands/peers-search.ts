import type { Command } from "../command.ts";
import { AGENT_OPTION, DATE_OPTIONS, MODEL_OPTION, TAG_OPTION } from "../filters.ts";
import { searchFleet } from "../peers/fleet-search.ts";
import { SEARCH_OPTIONS } from "../report-options.ts";

const command: Command = {
  name: "peers search",
  summary: "Search the conversations of all machines",
  description:
    "As amux sessions search --peers. A session that several machines hold is listed once. Machines that do not answer are named, and the exit code is 3.",
  arguments: [{ name: "query", description: "what to look for, in quotes for the shell" }],
  options: [AGENT_OPTION, ...DATE_OPTIONS, MODEL_OPTION, TAG_OPTION, ...SEARCH_OPTIONS],
  examples: [["amux peers search 'retry policy'", "wherever it was talked about"]],
  run: searchFleet,
};

export default command;
