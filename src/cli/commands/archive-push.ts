import { archiveAddress } from "../../archive/address.ts";
import { machineName } from "../../archive/machine.ts";
import { checkTeam } from "../../archive/members.ts";
import { push, type PushResult } from "../../archive/push.ts";
import { readRules } from "../../redaction/user-rules.ts";
import { connected } from "../../archive/store/connection.ts";
import { createClient } from "../../index.ts";
import { optional } from "../../lib/values/optional.ts";
import { externalEnv } from "../../lib/process/external-env.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { SCHEDULED_VARIABLE, writePushSchedule } from "../../client/push-schedule.ts";
import { archiveOf, TAKE_UNSURE_OPTION, TO_OPTION } from "../archive-options.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { daemonClient } from "../daemon-process.ts";
import { parseDate } from "../dates.ts";
import { parseDuration } from "../durations.ts";
import { AGENT_OPTION, cwdFilter } from "../filters.ts";
import { count, counted } from "../format/figures.ts";
import { withheldLines } from "../format/withheld.ts";

const command: Command = {
  name: "archive push",
  description:
    "Sends what is new or changed since the last push. Secrets are redacted before anything leaves the machine. A session that cannot be checked, or has an uncertain finding, is withheld and listed, and the exit code is 1. A push can be interrupted and repeated at any time. Sessions are private until they are shared.",
  options: [
    TO_OPTION,
    AGENT_OPTION,
    {
      name: "since",
      value: "date",
      description: "only sessions started since this date (2026-01-31, 7d, 3mo, last week)",
    },
    { name: "cwd", value: "dir", description: "only sessions started in this directory" },
    { name: "share", value: "team", description: "share these sessions with a team you are in" },
    TAKE_UNSURE_OPTION,
    { name: "every", value: "time", description: "let the daemon push at this interval (1h, 30m); off stops it" },
  ],
  examples: [
    ["amux archive push", "everything new, to the saved archive"],
    ["amux archive push --to postgres://alice@db.example/agents --since 30d", "the last month"],
    ["amux archive push --cwd ~/dev/shop --share shop", "one project's sessions, shared with the team"],
    ["amux archive push --every 1h", "everything new, every hour, to the saved archive"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const env = processEnv();
    const every = invocation.text("every");
    if (every !== undefined) return schedule(invocation, every);
    const address = archiveOf(invocation);
    // First, so that invalid rules stop everything.
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
          takeUnsure: invocation.flag("take-unsure"),
          isScheduled: env.vars[SCHEDULED_VARIABLE] !== undefined,
          ...optional("team", team === undefined ? undefined : checkTeam(team)),
          onProgress: (progress) => output.progress(`${progress.agent}: ${progress.done}/${progress.total} sessions`),
        }),
      ),
    );
    if (output.json) await output.writeJson({ archive: address.shown, ...result });
    else {
      await output.write(`${described(result)}\n`);
      const notes = [...withheldLines(result.withheld), ...withheldLines(result.unshared, "not shared")];
      for (const line of notes) output.note(line);
    }
    return result.withheld.length + result.unshared.length + result.runsWithheld > 0 ? 1 : 0;
  },
};

export default command;

/** A more frequent push would find only sessions that are being written. */
const MIN_EVERY_MS = 60_000;

async function schedule(invocation: Invocation, every: string): Promise<void> {
  const { output } = invocation;
  const env = processEnv();
  if (invocation.text("to") !== undefined) {
    throw usageError("The daemon pushes only to the saved archive. Save its address with amux archive use first.");
  }
  const everyMs = every === "off" ? undefined : parseDuration(every, "--every");
  if (everyMs !== undefined) {
    if (everyMs < MIN_EVERY_MS) throw usageError("--every takes a time of at least 1m, or off.");
    // Reports a mistake now instead of by a failure in an hour.
    archiveAddress({ ...env, vars: externalEnv(env.vars) });
    readRules(env);
    const [agent, since, team] = ["agent", "since", "share"].map((name) => invocation.text(name));
    if (agent !== undefined) await createClient().adapters.get(agent);
    if (since !== undefined) parseDate(since, "since");
    if (team !== undefined) checkTeam(team);
  }
  writePushSchedule(amuxHome(env), everyMs === undefined ? undefined : { everyMs, options: optionsOf(invocation) });
  if (output.json) return output.writeJson({ everyMs: everyMs ?? null });
  if (everyMs === undefined) return output.write("The daemon no longer pushes to the archive.\n");
  await output.write(
    `The daemon pushes to the archive every ${every} from now on. amux archive status shows the outcome.\n`,
  );
  if ((await daemonClient().health()) === undefined)
    output.note("The daemon is not running; amux daemon start starts it.");
}

function optionsOf(invocation: Invocation): string[] {
  const { cwd } = cwdFilter(invocation);
  const values = {
    cwd,
    ...Object.fromEntries(["agent", "since", "share"].map((name) => [name, invocation.text(name)])),
  };
  return [
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...(invocation.flag("take-unsure") ? ["--take-unsure"] : []),
  ];
}

function described(result: PushResult): string {
  const { sent, changed, unchanged, tooOld, shared, redactions, withheld, runsWithheld } = result;
  const parts = [
    `${count(sent)} ${sent === 1 ? "session" : "sessions"} sent`,
    ...(changed > 0 ? [`${count(changed)} brought up to date`] : []),
    `${count(unchanged)} unchanged`,
    ...(tooOld > 0 ? [`${count(tooOld)} older than the retention date`] : []),
    ...(withheld.length > 0 ? [`${count(withheld.length)} withheld`] : []),
    ...(runsWithheld > 0 ? [`${counted(runsWithheld, "run")} withheld`] : []),
    ...(shared > 0 ? [`${count(shared)} newly shared`] : []),
  ];
  const taken = redactions === 0 ? "" : ` ${count(redactions)} secrets were redacted.`;
  return `${parts.join(", ")}.${taken}`;
}
