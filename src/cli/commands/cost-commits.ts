import { resolve } from "node:path";
import { commitCosts } from "../../changes/blame/commit-cost.ts";
import { processEnv, workingDirectory } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { usageError, type Command } from "../command.ts";
import { parseDate } from "../dates.ts";
import { DATE_OPTIONS } from "../filters.ts";
import { commitCostLines } from "../format/commit-cost-table.ts";
import { localSessions } from "../local-sessions.ts";

const DEFAULT_SINCE = "30d";

const command: Command = {
  name: "cost commits",
  description: `Shows what the commits of a repository cost: the cost of the sessions that wrote their lines,
as amux blame finds them. A session with lines in several commits is divided by its lines.
The rest of its sessions' cost, without lines in these commits, is a row of its own, so that
everything adds up. Lines that are near, not proved, count too.

Counted are requests and commits of the same period, of sessions of this machine.
With --pr: all requests of the sessions that wrote it; their other commits get their part.`,
  options: [
    { name: "pr", value: "number", description: "only the commits of a pull request (needs GitHub's gh)" },
    { name: "cwd", value: "dir", description: "the repository of this directory (default: the current one)" },
    ...DATE_OPTIONS.map((option) =>
      option.name === "since"
        ? { ...option, description: `requests and commits since then (default ${DEFAULT_SINCE})` }
        : option,
    ),
  ],
  examples: [
    ["amux cost commits", "the last 30 days"],
    ["amux cost commits --since 2026-10 --cwd ~/shop", "another repository, since October"],
    ["amux cost commits --pr 12", "what a pull request cost"],
    ["amux cost commits --json | jq '.commits[] | [.commit, .totalUsd]'", "for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const pullRequest = invocation.count("pr");
    const [since, until] = [invocation.text("since"), invocation.text("until")];
    if (pullRequest !== undefined && (since ?? until) !== undefined)
      throw usageError("A pull request has its own commits: leave out --since and --until.");
    const from = pullRequest === undefined ? parseDate(since ?? DEFAULT_SINCE, "since") : undefined;
    output.progress("reading sessions of this repository");
    const costs = await commitCosts(
      localSessions().sessions,
      {
        cwd: resolve(workingDirectory(), invocation.text("cwd") ?? "."),
        ...optional("pullRequest", pullRequest),
        ...optional("since", from),
        ...(until === undefined ? {} : { until: parseDate(until, "until") }),
        onCommit: (done, total) => output.progress(`reading commits ${done}/${total}`),
      },
      processEnv(),
    );
    output.clearProgress();
    await (output.json ? output.writeJson(costs) : output.page(commitCostLines(costs, output)));
  },
};

export default command;
