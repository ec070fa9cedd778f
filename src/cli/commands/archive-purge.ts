import { machineName } from "../../archive/machine.ts";
import { patternOf, purge, redactorOf, type PurgeResult } from "../../archive/purge.ts";
import { addRule } from "../../redaction/user-rules.ts";
import { connected } from "../../archive/store/connection.ts";
import { createClient } from "../../index.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { localTime } from "../../lib/text/local-time.ts";
import { archiveOf, standardInput, TO_OPTION } from "../archive-options.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { count, counted } from "../format/figures.ts";
import { withheldLines } from "../format/withheld.ts";

const command: Command = {
  name: "archive purge",
  description:
    "Replaces a value in all your rows of the archive, including the search index, and reports the sessions that contained it and who could read them. It also becomes a rule in redact.json of amux's home, so that no later push from here sends it again. Without a value on the command line it is read from standard input. Backups of the database and pulled bundles keep the value: change the leaked secret.",
  arguments: [{ name: "value", description: "the exact text that leaked", optional: true, mayBeginWithDash: true }],
  options: [
    TO_OPTION,
    { name: "pattern", value: "regexp", description: "a regular expression in place of a value" },
    { name: "dry-run", description: "only show where it is and who could read it" },
  ],
  examples: [
    ["pass show leaked | amux archive purge", "a value that does not appear in the process list"],
    [
      "amux archive purge --pattern 'corp-[0-9a-f]{32}' --dry-run",
      "show where such values are, and who could read them",
    ],
  ],
  async run(invocation) {
    const { output } = invocation;
    const env = processEnv();
    const dryRun = invocation.flag("dry-run");
    const pattern = await patternFrom(invocation);
    const address = archiveOf(invocation);
    redactorOf(pattern);
    // First, so that invalid rules stop it before anything is removed.
    if (!dryRun) addRule(env, { name: "purged", pattern });
    const { sessions } = createClient();
    const result = await connected(address, (connection) =>
      purge(connection, {
        pattern,
        prices: sessions.prices,
        dryRun,
        onProgress: ({ done, total }) => output.progress(`${done}/${total} sessions`),
      }),
    );
    if (output.json) await output.writeJson({ ...result, dryRun });
    else {
      await output.write(lines(result, dryRun, machineName(env)).map((line) => `${line}\n`));
      for (const line of withheldLines(result.failed)) output.note(line);
    }
    return result.failed.length > 0 ? 1 : 0;
  },
};

export default command;

async function patternFrom(invocation: Invocation): Promise<string> {
  const [value] = invocation.arguments;
  const pattern = invocation.text("pattern");
  if (value !== undefined && pattern !== undefined) throw usageError("Give a value or --pattern, not both.");
  return pattern ?? patternOf(value ?? (await standardInput()));
}

function lines(result: PurgeResult, dryRun: boolean, here: string): string[] {
  const { sessions, places, removed, recorded, runs, readers, machines, looked, failed } = result;
  const record =
    recorded === 0 ? [] : [`${dryRun ? "It is in" : "Removed from"} ${counted(recorded, "id")} in the sharing record.`];
  if (sessions.length === 0 && runs === 0 && failed.length === 0)
    return [`None of your ${count(looked)} sessions there contains it.`, ...record];
  const others = machines.filter((machine) => machine !== here);
  const verb = dryRun ? "It is in" : "Removed from";
  return [
    `${verb} ${counted(sessions.length, "session")} (${counted(places, "place")})${runs === 0 ? "" : ` and ${counted(runs, "run")}`}.`,
    ...(removed.length === 0
      ? []
      : [`${dryRun ? "Would be taken" : "Taken"} away as a whole, as an id holds it: ${removed.join(", ")}`]),
    ...record,
    ...(readers.length === 0
      ? ["None of these sessions was ever shared."]
      : [
          "Who could read it:",
          ...readers.map(
            ({ reader, team, sessions: seen, since }) =>
              `  ${reader} (${team}): ${counted(seen, "session")}${since === null ? "" : `, since ${localTime(since)}`}`,
          ),
        ]),
    ...(others.length === 0 ? [] : [`Purge on ${others.join(", ")} too: a push from there may send it again.`]),
  ];
}
