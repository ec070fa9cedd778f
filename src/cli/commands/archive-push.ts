import { machineName } from "../../archive/machine.ts";
import { checkTeam } from "../../archive/members.ts";
import { push, type PushResult } from "../../archive/push.ts";
import { readRules } from "../../archive/redaction/user-rules.ts";
import { connected } from "../../archive/store/connection.ts";
import { createClient } from "../../index.ts";
import { optional } from "../../lib/optional.ts";
import { processEnv } from "../../lib/paths.ts";
import { archiveOf, TO_OPTION } from "../archive-options.ts";
import type { Command } from "../command.ts";
import { parseDate } from "../dates.ts";
import { AGENT_OPTION, cwdFilter } from "../filters.ts";
import { count } from "../format/figures.ts";
import { withheldLines } from "../format/withheld.ts";

const command: Command = {
  name: "archive push",
  summary: "Send this machine's sessions to the archive",
  description:
    "Sends what is new or changed since the last push. Secrets are taken out before anything leaves the machine; a session that cannot be looked through stays here and is listed, and the exit code is 1 then. A push can be interrupted and repeated at will. Sessions are yours alone until they are shared.",
  options: [
    TO_OPTION,
    AGENT_OPTION,
    { name: "since", value: "date", description: "only sessions begun since then (ISO 8601, or 7d, 2w, 3m ago)" },
    { name: "cwd", value: "dir", description: "only sessions started in this directory" },
    { name: "share", value: "team", description: "share these sessions with a team you are in" },
  ],
  examples: [
    ["amux archive push", "everything that is new, to the archive that amux archive use kept"],
    ["amux archive push --to postgres://alice@db.example/agents --since 30d", "the last month"],
    ["amux archive push --cwd ~/dev/shop --share shop", "one project's, for the whole team"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const env = processEnv();
    const address = archiveOf(invocation);
    // Before anything is read: rules that cannot be understood stop everything.
    const rules = readRules(env);
    const agent = invocation.text("agent");
    const since = invocation.text("since");
    const team = invocation.text("share");
    const { sessions } = createClient();
    const result = await connected(address, (connection) =>
      sessions.withCatalogs(optional("agent", agent), (catalogs) =>
        push(connection, catalogs, {
          machine: machineName(env),
          rules,
          runs: sessions.runs.runs,
          prices: sessions.prices,
          ...optional("since", since === undefined ? undefined : parseDate(since, "since")),
          ...cwdFilter(invocation),
          ...optional("team", team === undefined ? undefined : checkTeam(team)),
          onProgress: (progress) => output.progress(`${progress.agent}: ${progress.done}/${progress.total} sessions`),
        }),
      ),
    );
    if (output.json) await output.writeJson({ archive: address.shown, ...result });
    else {
      await output.write(`${described(result)}\n`);
      for (const line of withheldLines(result.withheld)) output.note(line);
    }
    return result.withheld.length + result.runsWithheld > 0 ? 1 : 0;
  },
};

export default command;

function described({ sent, changed, unchanged, redactions }: PushResult): string {
  const parts = [
    `${count(sent)} ${sent === 1 ? "session" : "sessions"} sent`,
    ...(changed > 0 ? [`${count(changed)} brought up to date`] : []),
    `${count(unchanged)} unchanged`,
  ];
  const taken = redactions === 0 ? "" : ` ${count(redactions)} secrets were taken out.`;
  return `${parts.join(", ")}.${taken}`;
}
