import { machineName } from "../../archive/machine.ts";
import { knownCopies, review, type Review, type ReviewedSession } from "../../archive/push.ts";
import type { Finding } from "../../redaction/redactor.ts";
import { readRules } from "../../redaction/user-rules.ts";
import { connected } from "../../archive/store/connection.ts";
import { requireSchema } from "../../archive/store/migrate.ts";
import { createClient } from "../../index.ts";
import { optional } from "../../lib/values/optional.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { oneLine, withoutControls } from "../../lib/text/text.ts";
import { archiveOf, TAKE_UNSURE_OPTION, TO_OPTION } from "../archive-options.ts";
import type { Command, Invocation } from "../command.ts";
import { parseDate } from "../dates.ts";
import { AGENT_OPTION, cwdFilter } from "../filters.ts";
import { counted } from "../format/figures.ts";
import { withheldLines } from "../format/withheld.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "archive review",
  description:
    'Lists the sessions a push would send with something to redact, most findings first, and where. The secrets themselves are not shown, and nothing is sent. Sessions that would be withheld are listed with the reason, and the exit code is 1. With --all no archive is needed: every session is checked. Your own rules are regular expressions in redact.json of amux\'s home: [{ "name": "customer", "pattern": "C-[0-9]{8}" }].',
  options: [
    TO_OPTION,
    AGENT_OPTION,
    { name: "since", value: "date", description: "only sessions started since this date" },
    { name: "cwd", value: "dir", description: "only sessions started in this directory" },
    TAKE_UNSURE_OPTION,
    { name: "all", description: "include sessions that are already in the archive" },
    { name: "clean", description: "list sessions without findings too" },
  ],
  examples: [
    ["amux archive review --all --agent codex", "before the first push"],
    ["amux archive review --json | jq '.sessions[].findings[]'", "every finding, for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const found = await reviewed(invocation);
    const code = found.withheld.length > 0 ? 1 : 0;
    if (output.json) {
      await output.writeJson(found);
      return code;
    }
    const isShown = ({ findings }: ReviewedSession): boolean => invocation.flag("clean") || findings.length > 0;
    const shown = found.sessions.filter(isShown).sort((a, b) => b.findings.length - a.findings.length);
    await output.page(shown.flatMap((session) => lines(session, output)).map((line) => `${line}\n`));
    const secrets = found.sessions.reduce((sum, { findings }) => sum + findings.length, 0);
    output.note(`${counted(found.sessions.length, "session")} would be sent, ${counted(secrets, "secret")} redacted.`);
    for (const line of withheldLines(found.withheld)) output.note(line);
    return code;
  },
};

export default command;

async function reviewed(invocation: Invocation): Promise<Review> {
  const { output } = invocation;
  const env = processEnv();
  const rules = readRules(env);
  const since = invocation.text("since");
  const known = invocation.flag("all")
    ? new Map<string, string>()
    : await connected(archiveOf(invocation), async (connection) => {
        await requireSchema(connection);
        return knownCopies(connection, machineName(env), rules.version);
      });
  return createClient().sessions.withCatalogs(optional("agent", invocation.text("agent")), (catalogs) =>
    review(catalogs, {
      rules,
      isKnown: ({ unifiedId, signature }) => known.get(unifiedId) === signature,
      ...optional("since", since === undefined ? undefined : parseDate(since, "since")),
      ...cwdFilter(invocation),
      takeUnsure: invocation.flag("take-unsure"),
      onProgress: ({ agent, done, total }) => output.progress(`${agent}: ${done}/${total} sessions`),
    }),
  );
}

function lines({ unifiedId, title, messages, findings }: ReviewedSession, output: Output): string[] {
  const head = `${output.style("cyan", unifiedId)}  ${oneLine(title)}${output.style("dim", `  ${counted(messages, "message")}`)}`;
  return [head, ...findings.map((finding) => `    ${findingLine(finding, output)}`)];
}

function findingLine({ rule, where, length }: Finding, output: Output): string {
  return `${output.style("yellow", rule)}  ${withoutControls(where)}${output.style("dim", `  ${counted(length, "character")}`)}`;
}
